import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { doctor } from '../../src/cli/doctor.ts'
import type { Fault } from '../../src/localnet/faults.ts'
import { startLocalnet, type WorldLocalnet } from '../../src/localnet/localnet.ts'
import { releases, usualRelease } from '../../src/localnet/releases.ts'
import { command } from '../cli/command.ts'
import { printed } from '../cli/printed.ts'
import { newFolder } from '../support/new-folder.ts'

const { version } = releases[usualRelease]
let localnet: WorldLocalnet
const folder = newFolder(afterAll)
beforeAll(async () => {
  localnet = (await startLocalnet({ superValidators: 4 })) as WorldLocalnet
})
afterEach(() => fault([]))
afterAll(async () => {
  await localnet[Symbol.asyncDispose]()
})

async function fault(names: readonly string[], what?: Fault): Promise<void> {
  for (const { name } of localnet.superValidators)
    await localnet.setFault(name, names.includes(name) ? what : undefined)
}

async function run(
  args: { json?: boolean; diff?: string; seeds?: readonly string[] } = {},
  settings: object = {},
) {
  const { print, out, err } = printed()
  const env = {
    SCAN_SEED_URLS: (args.seeds ?? localnet.superValidators.map(({ url }) => url)).join(','),
    NODE_CONFIG: JSON.stringify({ scanClient: settings }),
  }
  const given = { json: args.json ?? false, diff: args.diff }
  const code = await doctor(given, print, { env, cwd: folder })
  return { code, out, err }
}

async function kept(name: string, text: string): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}

describe('Exit codes:', () => {
  test('0 where all is well', async () => {
    const { code, out, err } = await run()
    expect({ code, err }).toEqual({ code: 0, err: [] })
    expect(out[0]).toBe('super validator  dns  tcp  tls  version  dso  synchr.  head  snapshot  history')
    expect(out[1]).toBe(`sv-1             -    ok   -    ${version}    ok   ok       ok    ok        ok`)
    expect(out).toContain(
      'All is well. Whether a super validator lies is not examined here: its votes show it.',
    )
    expect(out.at(-1)).toBe('All scans that answer are on this machine; no request leaves it.')
  })

  test('1 where every threshold holds and one super validator is missing', async () => {
    await fault(['sv-2'], { kind: 'refuse' })
    const { code, out } = await run()
    expect(code).toBe(1)
    expect(out[2]).toBe('sv-2             -    REFUSED  -    -        -    -        -     -         -')
    expect(out).toContain('These cannot: sv-2.')
    expect(out).toContain('Every threshold holds, but something is wrong at some super validators.')
    expect(out.find((line) => line.startsWith('  tcp: '))).toMatch(
      /^ {2}tcp: 127\.0\.0\.1:\d+ refuses connections: its scan is down, or a firewall rejects this/,
    )
    expect(out.find((line) => line.startsWith('--- '))).toMatch(
      /^--- A text for sv-2: Please allow <your public/,
    )
  })

  test('2 where a threshold does not hold', async () => {
    await fault(['sv-2', 'sv-3'], { kind: 'refuse' })
    const { code, out } = await run()
    expect(code).toBe(2)
    expect(out).toContain('f+1 holds: 2 scans needed, 2 can be used.')
    expect(out).toContain('2f+1 DOES NOT HOLD: 3 scans needed, 2 can be used.')
    expect(out.join(' ')).toContain(
      'This is not enough for 2f+1, although it is enough for f+1: see the thresholds that do not hold, and the reasons.',
    )
  })

  test('78 where the configuration cannot be used', async () => {
    const { code, err } = await run({}, { egressAddresses: ['my house'] })
    expect(code).toBe(78)
    expect(err[0]).toMatch(/^scanClient\.egressAddresses.* must be an IP address or a block of them/)
  })

  test('64 for unknown options; help names all of them', async () => {
    const { code, err } = await command(['doctor', '--jsn'])
    expect(code).toBe(64)
    expect(err).toContain("unknown option '--jsn'")
    const { code: helped, out } = await command(['doctor', '--help'])
    expect(helped).toBe(0)
    expect(out).toMatch(/Exit codes: 0 all is well; 1 every threshold holds, but .*; 2 a threshold does/)
  })
})

test('--json prints one line with the report', async () => {
  await fault(['sv-4'], { kind: 'forbidden' })
  const { code, out } = await run({ json: true }, { egressAddresses: ['203.0.113.7', '2001:db8::/48'] })
  expect({ code, lines: out.length }).toEqual({ code: 1, lines: 1 })
  expect(JSON.parse(out[0] as string)).toMatchObject({
    format: 1,
    network: 'localnet',
    roster: { source: 'agreed', toldBy: 3, needed: 2, seeds: 4, dso: localnet.world.dsoParty },
    egress: {
      configured: ['203.0.113.7', '2001:db8::/48'],
      local: ['127.0.0.1'],
      says: 'Requests leave from 203.0.113.7 and 2001:db8::/48, as scanClient.egressAddresses says.',
    },
    tolerated: 1,
    thresholds: [
      { name: 'f+1', needed: 2, reachable: 3, holds: true },
      { name: '2f+1', needed: 3, reachable: 3, holds: true },
    ],
    verdict: { kind: 'some-missing' },
    letters: [{ superValidators: ['sv-4'], operator: null }],
  })
})

describe('--diff', () => {
  test('tells what became worse, and the other way round what became better', async () => {
    const good = await kept('good.json', (await run({ json: true })).out[0] as string)
    await fault(['sv-2', 'sv-3'], { kind: 'forbidden' })
    const worse = await run({ diff: good })
    expect(worse.code).toBe(2)
    expect(worse.out).toContain(`  worse: sv-2, version: it was "${version}", and is "403"`)
    expect(worse.out).toContain('  worse: 2f+1: it was "holds", and is "does not hold"')
    const bad = await kept('bad.json', (await run({ json: true })).out[0] as string)
    await fault([])
    const better = await run({ json: true, diff: bad })
    expect(better.code).toBe(0)
    expect(JSON.parse(better.out[0] as string).difference).toMatchObject({
      better: expect.arrayContaining([
        { superValidator: 'sv-3', what: 'version', was: '403', is: version },
        { superValidator: null, what: '2f+1', was: 'does not hold', is: 'holds' },
      ]),
      worse: [],
      joined: [],
      left: [],
    })
  })

  test.each([
    ['empty.json', '', 'it is not JSON'],
    ['list.json', '[]', 'it is not the output of doctor --json'],
    [
      'part.json',
      '{"format":1,"at":"2026-01-01T00:00:00Z"}',
      'it is not the output of doctor --json: roster does not fit',
    ],
    ['later.json', '{"format":2}', 'it is not the output of doctor --json: format does not fit'],
  ])('rejects %s before any scan is asked, and says why', async (name, text, why) => {
    const file = await kept(name, text)
    const asks = localnet.asks('sv-1')
    const { code, out, err } = await run({ diff: file })
    expect({ code, out }).toEqual({ code: 64, out: [] })
    expect(err).toEqual([`error: ${file} cannot be compared with: ${why}.`])
    expect(localnet.asks('sv-1')).toBe(asks)
  })

  test('rejects a file that does not exist, and a report of another network', async () => {
    const missing = join(folder, 'missing.json')
    expect((await run({ diff: missing })).err[0]).toMatch(/^.*missing\.json cannot be compared with: ENOENT/)
    const report = JSON.parse((await run({ json: true })).out[0] as string)
    report.roster.dso = 'DSO::1220ee'
    const file = await kept('other.json', JSON.stringify(report))
    const { code, err } = await run({ diff: file })
    expect({ code, err }).toEqual({
      code: 64,
      err: [`error: ${file} cannot be compared with: its DSO is DSO::1220ee.`],
    })
  })
})

describe('Where all fail alike,', () => {
  test('the reason and the text to send are printed once, with all names', async () => {
    await fault(['sv-1', 'sv-2', 'sv-3', 'sv-4'], { kind: 'refuse' })
    const { out } = await run()
    expect(out.filter((line) => line.startsWith('  tcp: '))).toHaveLength(1)
    expect(out).toContain('All 4 have the same reason. The first one stands for all:')
    expect(out.filter((line) => line.startsWith('--- A text for '))).toEqual(['--- A text for all 4 of them'])
    for (const { url } of localnet.superValidators) {
      const { host } = new URL(url)
      expect(out.slice(-4)).toContain(`  ${host}: ${host}`)
    }
    const { letters } = JSON.parse((await run({ json: true })).out[0] as string)
    expect(letters).toHaveLength(4)
  })

  test('but one is well, each of the others has its own', async () => {
    await fault(['sv-2', 'sv-3'], { kind: 'refuse' })
    const { out } = await run()
    expect(out.filter((line) => line.startsWith('  tcp: '))).toHaveLength(2)
    expect(out.filter((line) => line.startsWith('--- A text for sv-'))).toHaveLength(2)
  })
})
