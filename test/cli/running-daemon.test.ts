import { createServer } from 'node:http'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { Fault } from '../../src/localnet/faults.ts'
import { byName, nothingKept } from '../daemon/questions.ts'
import { startLiveRemote, startLiveStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { onLoopback } from '../support/on-loopback.ts'
import { command, commandHere } from './command.ts'

const stage = await startLiveStage({ config: { 'scanClient.operators': { two: ['sv-1', 'sv-2'] } } })
afterEach(() => stage.fault(stage.names, undefined))
afterAll(() => stage[Symbol.asyncDispose]())

function run(...args: readonly string[]) {
  return commandHere(args, { OPERATIONS_PORT: new URL(stage.daemon.operations).port })
}

async function lookUp(name: string): Promise<void> {
  await stage.operations(`/?by=name&ask=all&q=${name}`)
}

const lie: Fault = { kind: 'lie', alone: true, only: ['by-name'] }

describe('status', () => {
  test('shows the daemon, its thresholds, and every super validator', async () => {
    const { code, out, err } = await run('status')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^daemon +bft-scan-proxy \d+\.\d+\.\d+ on localnet \(bft\), up .*, ready$/m)
    expect(out).toMatch(/^roster +4 of 4 super validators reachable, agreed .* ago$/m)
    expect(out).toMatch(/^threshold +2 of 4 super validators, and 1 of 3 operators$/m)
    expect(out).toMatch(/^protected +yes: /m)
    expect(out).toMatch(/^super validator +operator +scan +reachable +reply +speed rank +release$/m)
    expect(out).toMatch(/^speed rank 1 is asked first$/m)
    expect(out).toMatch(/^sv-1 +two +127\.0\.0\.1:\d+ +yes +\d+ ms +[1-4] +(?:-|0\.\d+\.\d+)$/m)
    expect(out).toMatch(/^sv-4 +- +127\.0\.0\.1:\d+ +yes +\d+ ms +[1-4] +(?:-|0\.\d+\.\d+)$/m)
  })

  test('counts those that an operator has set aside as not reachable, and ends with 69 without a quorum', async () => {
    const { cordon } = stage.daemon.scan.connections
    for (const name of stage.names.slice(1)) cordon.add(name)
    const { code, out } = await run('status')
    for (const name of stage.names) cordon.remove(name)
    expect(code).toBe(69)
    expect(out).toMatch(/^roster +1 of 4 super validators reachable, 3 set aside by an operator, agreed/m)
    expect(out).toMatch(/^quorum +NO quorum is reachable: uncached reads fail$/m)
    expect(out).toMatch(/^sv-4 .* NO .*set aside by an operator$/m)
    expect(out).toMatch(/^super validator .* release +not asked$/m)
    expect(out).toMatch(/^speed rank 1 is asked first; not asked: why it is spared, and until when$/m)
    expect((await run('status')).code).toBe(0)
  })

  test('says how many reads of the last minutes were not agreed, even if a quorum is reachable', async () => {
    await using liars = await startLiveStage({ config: nothingKept })
    const status = () => commandHere(['status', '--operations', liars.daemon.operations])
    expect((await status()).out).not.toMatch(/^reads/m)
    expect((await liars.get(byName('dso.cns'))).status).toBe(200)
    await liars.fault(liars.names.slice(1), { kind: 'lie', alone: true, only: ['by-name'] })
    expect((await liars.get(byName('dso.cns'))).status).toBe(502)
    const { code, out } = await status()
    expect(out).toMatch(/^reads +NOT agreed in the last 5 minutes: 1 of 2$/m)
    expect(code).toBe(0)
  })

  test('names the super validators that contradicted the others, and says if it is unclear who is right', async () => {
    await using liars = await startLiveStage()
    const status = () => commandHere(['status', '--operations', liars.daemon.operations])
    expect((await status()).out).not.toMatch(/contradicted/)
    await liars.fault(['sv-2'], lie)
    await liars.operations('/?by=name&ask=all&q=one.unverified.cns')
    const { code, out } = await status()
    expect(code).toBe(0)
    expect(out).toMatch(
      /^dissent +contradicted the others in the last hour: sv-2; see `bft-scan-proxy evidence`$/m,
    )
    await liars.fault(['sv-2', 'sv-3'], lie)
    await liars.operations('/?by=name&ask=all&q=two.unverified.cns')
    expect((await status()).out).toMatch(
      /^doubt +MORE than may lie contradicted each other in the last hour; nobody can tell who is right: see `bft/m,
    )
  })

  test('gives scripts what the daemon says, at any address that is given', async () => {
    const { code, out, err } = await command([
      'status',
      '--json',
      '--operations',
      `${stage.daemon.operations}/`,
    ])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const { uptimeSeconds: _, ...said } = JSON.parse(out)
    const { uptimeSeconds: __, ...is } = await stage.report('/status')
    expect(Object.keys(said)).toEqual(Object.keys(is))
    expect(said.roster.dso).toBe(is.roster.dso)
    expect(out.trimEnd()).not.toContain('\n')
  })

  test('ends with 69 where the daemon has no roster, and says what it waits for', async () => {
    await using waiting = await startLiveRemote([`http://127.0.0.1:${await freePort()}`])
    await eventually(async () => (await waiting.report('/status')).seeds[0].outcome === 'connect')
    const { code, out } = await commandHere(['status', '--operations', waiting.daemon.operations])
    expect(code).toBe(69)
    expect(out).toMatch(/^daemon .* NOT READY: .*$/m)
    expect(out).toMatch(/^roster +no roster yet: reads fail$/m)
    expect(out).toMatch(/^protected +not known: there is no roster yet$/m)
    expect(out).toMatch(/^seeds +1 seed: connect 1; run `bft-scan-proxy doctor`, which says why$/m)
  })
})

describe('evidence', () => {
  test('shows who said what instead, and how the dissent is filed', async () => {
    await stage.fault(['sv-2'], lie)
    await lookUp('alice.unverified.cns')
    const { code, out, err } = await run('evidence', '--sv', 'sv-2', '--limit', '1')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const entry = stage.localnet.truth.entryByName('alice.unverified.cns')
    expect(out).toMatch(
      /^20\d\d-.*Z {2}lookupAnsEntryByName {2}agreed: enough super validators gave the same value/,
    )
    expect(out).toContain('  sv-1, sv-3, sv-4 agreed\n  sv-2 said instead:\n')
    expect(out).toContain(`  -     "user": "${entry?.user}"\n  +     "user": "mallory::`)
    expect(out).toMatch(/^ {2}filed for sv-2: \w+$/m)
  })

  test('is that of one super validator or read where it is asked for', async () => {
    await stage.fault(['sv-3'], lie)
    await lookUp('sv-1.sv.cns')
    const cases = async (...args: readonly string[]) =>
      JSON.parse((await run('evidence', '--json', ...args)).out).cases
    const ofThree = await cases('--sv', 'sv-3')
    expect(ofThree.length).toBeGreaterThan(0)
    for (const { dissent } of ofThree) expect(Object.keys(dissent)).toContain('sv-3')
    expect(await cases('--sv', 'sv-1')).toEqual([])
    expect(await cases('--read', 'getDsoInfo')).toEqual([])
    expect(await cases('--sv', 'sv-3', '--read', 'lookupAnsEntryByName')).toEqual(ofThree)
  })

  test('is also that of a super validator that was silent where nothing was agreed', async () => {
    await stage.fault(['sv-2', 'sv-3'], { ...lie, alone: true })
    await stage.fault(['sv-4'], { kind: 'refuse' })
    await lookUp('sv-2.sv.cns')
    const { cases } = JSON.parse((await run('evidence', '--json', '--sv', 'sv-4')).out)
    expect(cases[0]).toMatchObject({ agreed: null, silent: [{ who: ['sv-4'] }] })
  })

  test('is that of the time since the moment that --since names', async () => {
    await stage.fault(['sv-3'], lie)
    await lookUp('sv-4.sv.cns')
    const cases = async (since: string) =>
      JSON.parse((await run('evidence', '--json', '--since', since)).out).cases
    expect((await cases('1h30m')).length).toBeGreaterThan(0)
    expect(await cases('2999-01-01')).toEqual([])
  })

  test('gives scripts the newest cases with the bodies of their statements alone', async () => {
    await stage.fault(['sv-2'], lie)
    await lookUp('sv-2.sv.cns')
    await lookUp('sv-3.sv.cns')
    const { cases, bodies } = JSON.parse((await run('evidence', '--json', '--limit', '1')).out)
    expect(cases).toHaveLength(1)
    const digests = cases[0].statements.map(({ digest }: { digest: string }) => digest)
    expect(Object.keys(bodies).sort()).toEqual(digests.sort())
    expect((await run('evidence', '--limit', '1')).out).toMatch(
      /^Earlier ones are left out: --limit 2 shows more\.$/m,
    )
  })

  test('says so where there is none', async () => {
    expect((await run('evidence', '--read', 'getDsoInfo')).out).toMatch(
      /^The daemon at http:\S+ has seen no such disagreement\.$/m,
    )
    await using peaceful = await startLiveStage()
    const { operations } = peaceful.daemon
    const { out } = await commandHere(['evidence', '--operations', operations])
    expect(out).toBe(`The daemon at ${operations} has seen no disagreement.\n`)
  })

  test.each([
    [['--sv', 'sv-22'], 'error: there is no super validator sv-22; did you mean sv-2?\n'],
    [
      ['--read', 'lokupAnsEntryByName'],
      'error: there is no read lokupAnsEntryByName; did you mean lookupAnsEntryByName?\n',
    ],
    [['--read', 'nope'], 'error: there is no read nope\n'],
    [
      ['--since', 'noon'],
      'error: --since must be a time (2026-11-21T08:46:00Z), date (2026-11-21) or duration (1h30m), not noon\n',
    ],
    [['--limit', '0'], 'error: --limit must be a whole number of at least 1, not 0\n'],
  ])('%j ends with 64 and one sentence', async (args, err) => {
    expect(await run('evidence', ...args)).toEqual({ code: 64, out: '', err })
  })
})

describe.each(['status', 'evidence'])('%s', (name) => {
  test('says that no daemon answers, with 69', async () => {
    const port = await freePort()
    const { code, out, err } = await command([name, '--operations', `127.0.0.1:${port}`])
    expect({ code, out }).toEqual({ code: 69, out: '' })
    expect(err).toMatch(
      /^no daemon answers at http:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED .*; start one with `bft-scan-proxy serve`, or name its operations address with --operations\n$/,
    )
  })

  test('says so in JSON too', async () => {
    const port = await freePort()
    const { code, out, err } = await commandHere([name, '--json', '--operations', `127.0.0.1:${port}`])
    expect({ code, err }).toEqual({ code: 69, err: '' })
    expect(JSON.parse(out)).toEqual({ kind: 'error', error: expect.stringMatching(/^no daemon answers at /) })
  })

  test('says that something else answers, with 69', async () => {
    using server = await onLoopback(createServer((_, response) => response.end('{"hello":1}')))
    const url = `http://127.0.0.1:${server.port}`
    expect(await commandHere([name, '--operations', url])).toEqual({
      code: 69,
      out: '',
      err: `${url} is no operations address of bft-scan-proxy\n`,
    })
  })

  test('says that an address which answers 404 may be the public one, with 69', async () => {
    const { code, err } = await commandHere([name, '--operations', stage.daemon.http])
    expect(code).toBe(69)
    expect(err).toMatch(
      /^http:\S+ answers 404: The requested resource could not be found: .*; this may be the public address of a daemon \(http\.port\), and --operations needs its operations address \(operations\.port, by default 9464\)\n$/,
    )
  })

  test('says of a port that no HTTP client asks that it is one', async () => {
    expect(await commandHere([name, '--operations', 'http://127.0.0.1:1'])).toEqual({
      code: 69,
      out: '',
      err: 'no daemon answers at http://127.0.0.1:1: HTTP clients never ask this port\n',
    })
  })

  test('takes only web addresses, with 64', async () => {
    expect(await commandHere([name, '--operations', 'ftp://a.example'])).toMatchObject({
      code: 64,
      err: 'error: --operations must be an http or https URL without credentials, not ftp://a.example\n',
    })
  })
})
