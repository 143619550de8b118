import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { lookup } from '../../src/cli/lookup.ts'
import type { Fault } from '../../src/localnet/faults.ts'
import { startLocalnet, type WorldLocalnet } from '../../src/localnet/localnet.ts'
import { packageDir } from '../config/folder.ts'
import { printed } from './printed.ts'

const name = 'alice.unverified.cns'

const localnet = (await startLocalnet({ superValidators: 4 })) as WorldLocalnet
afterEach(async () => {
  for (const { name: sv } of localnet.superValidators) await localnet.setFault(sv, undefined)
})
afterAll(() => localnet[Symbol.asyncDispose]())

async function run(
  what: string,
  { json = false, columns, threshold }: { json?: boolean; columns?: number; threshold?: string } = {},
) {
  const { print, out, err } = printed(columns === undefined ? undefined : { columns, rows: 50 })
  const env = {
    SCAN_SEED_URLS: localnet.superValidators.map(({ url }) => url).join(','),
    NODE_CONFIG: '{"scanClient":{"requestTimeout":"500ms","operators":{"two":["sv-1","sv-2"]}}}',
  }
  const flags = threshold === undefined ? {} : { threshold }
  const code = await lookup({ what, all: true, live: false, json }, print, {
    env,
    flags,
    cwd: packageDir,
    packageDir,
  })
  return { code, out, err: err.filter((line) => !line.startsWith('warning: scanClient.operators.two ')) }
}

async function fault(faults: Readonly<Record<string, Fault>>): Promise<void> {
  for (const [sv, what] of Object.entries(faults)) await localnet.setFault(sv, what)
}

const lie: Fault = { kind: 'lie', alone: true, only: ['by-name'] }
const sharedLie: Fault = { kind: 'lie', only: ['by-name'] }
const hang: Fault = { kind: 'hang', only: ['by-name'] }

describe('lookup --all', () => {
  test('shows the seeds alone where they do not agree on who the super validators are', async () => {
    await fault({ 'sv-2': { kind: 'lie' }, 'sv-3': { kind: 'lie' }, 'sv-4': { kind: 'refuse' } })
    const { code, err } = await run(name, { threshold: '2f+1' })
    expect(code).toBe(69)
    expect(err.join()).toContain('no 2 of 4 seeds name the same super validators')
  })

  test('shows what became of every super validator, and how a dissenter differs', async () => {
    await fault({ 'sv-2': lie, 'sv-4': hang })
    const { code, out, err } = await run(name)
    expect({ code, err }).toEqual({ code: 0, err: [] })
    const table = out.slice(out.indexOf('') + 1)
    expect(table.slice(0, 5)).toEqual([
      expect.stringMatching(/^super validator {2}operator {2}said +time +why$/),
      expect.stringMatching(/^sv-1 +two +agreed +\d+ ms$/),
      expect.stringMatching(/^sv-2 +two +DISSENTED +\d+ ms$/),
      expect.stringMatching(/^sv-3 +- +agreed +\d+ ms$/),
      expect.stringMatching(/^sv-4 +- +silent +\d+ ms +timeout$/),
    ])
    expect(table[6]).toMatch(/^decided after \d+ ms: enough super validators gave /)
    const entry = localnet.truth.entryByName(name)
    expect(table.slice(8)).toEqual(
      expect.arrayContaining([
        'sv-2 said instead:',
        expect.stringContaining(`-     "user": "${entry?.user}"`),
        expect.stringMatching(/^\+ {5}"user": "mallory::/),
      ]),
    )
    expect(table.slice(8).join('\n')).not.toContain(`"name": "${name}"`)
  })

  test('names all that agreed, not only those that were heard before the verdict', async () => {
    const { out } = await run(name)
    const agreed = out.find((line) => line.startsWith('agreed by '))
    expect(agreed).toBe(
      'agreed by sv-1, sv-2, sv-3, sv-4: 4 of 4, 2 are needed; 3 operators of 3, 1 are needed',
    )
    const { agreement } = JSON.parse(`${(await run(name, { json: true })).out[0]}`)
    expect(agreement).toMatchObject({
      agreed: ['sv-1', 'sv-2', 'sv-3', 'sv-4'],
      threshold: 2,
      operators: { agreed: 3, threshold: 1 },
    })
  })

  test('warns where more than f contradict the answer, and takes no side', async () => {
    await fault({ 'sv-2': sharedLie, 'sv-3': sharedLie })
    const { code, out, err } = await run(name)
    expect(code).toBe(0)
    const contradicts =
      /sv-\d, sv-\d contradict this answer: 2 are more than the f = 1 that may lie or fail, so at least one assumption is broken, and these votes do not show who is right\. `--threshold 2f\+1` asks for more votes\.$/
    expect(err).toEqual([expect.stringMatching(contradicts)])
    expect(err[0]).toMatch(/^warning: /)
    expect(out.filter((line) => / differs +\d+ ms$/.test(line))).toHaveLength(2)
    expect(out.join('\n')).not.toContain('DISSENTED')
    const found = JSON.parse(`${(await run(name, { json: true })).out[0]}`)
    expect(found.warning).toMatch(contradicts)
    expect(found.warning).not.toMatch(/^warning/)
  })

  test('gives no answer for two votes of four where the threshold is 2f+1', async () => {
    await fault({ 'sv-2': sharedLie, 'sv-3': sharedLie })
    const { code, out, err } = await run(name, { threshold: '2f+1' })
    expect(code).toBe(76)
    expect(err).toEqual(['Failed to reach consensus from 4 Scan nodes, requiring 3 matching responses.'])
    expect(out.filter((line) => / voted +\d+ ms$/.test(line))).toHaveLength(4)
  })

  test('warns where another answer has the threshold too, though only f contradict', async () => {
    await fault({ 'sv-2': lie })
    const { code, err } = await run(name, { threshold: '1' })
    expect(code).toBe(0)
    expect(err.filter((line) => line.startsWith('warning: '))).toContainEqual(
      expect.stringMatching(/(another answer also has the threshold of 1|contradict this answer): /),
    )
  })

  test('says of a super validator that asked for a pause that it was not asked', async () => {
    await fault({ 'sv-3': { kind: 'rate-limit', retryAfter: 3600 } })
    const { code, out } = await run(name)
    expect(code).toBe(0)
    expect(out).toContainEqual(
      expect.stringMatching(/^sv-3 +- +not asked +.* it is asked no more often than its limits allow$/),
    )
  })

  test('gives scripts all of it in one line of JSON', async () => {
    await fault({ 'sv-2': lie })
    const { code, out } = await run('nobody.unverified.cns', { json: true })
    expect(code).toBe(66)
    expect(out).toHaveLength(1)
    const found = JSON.parse(`${out[0]}`)
    expect(found).toMatchObject({
      kind: 'absence',
      status: 404,
      error: 'No ans entry found for name: nobody.unverified.cns',
      outcome: 'agreed',
      superValidators: [
        { names: ['sv-1'], operator: 'two', stance: 'agreed', seconds: expect.any(Number) },
        { names: ['sv-2'], operator: 'two', stance: 'dissented', seconds: expect.any(Number) },
        { names: ['sv-3'], operator: 'sv-3', stance: 'agreed', seconds: expect.any(Number) },
        { names: ['sv-4'], operator: 'sv-4', stance: 'agreed', seconds: expect.any(Number) },
      ],
    })
    const liar = found.statements.find(({ who }: { who: string[] }) => who.includes('sv-2'))
    expect(liar).toMatchObject({ kind: 'value', who: ['sv-2'], body: expect.stringContaining('mallory::') })
    expect(found.agreedStatement).not.toBe(liar.digest)
  })

  test('shows every statement whole where nothing is agreed, and ends with 76', async () => {
    await fault({ 'sv-1': lie, 'sv-2': lie, 'sv-3': lie, 'sv-4': lie })
    const { code, out, err } = await run(name)
    expect({ code, err }).toEqual({
      code: 76,
      err: ['Failed to reach consensus from 4 Scan nodes, requiring 2 matching responses.'],
    })
    expect(out.filter((line) => / voted +\d+ ms$/.test(line))).toHaveLength(4)
    expect(out.filter((line) => /^sv-\d said:$/.test(line))).toHaveLength(4)
    expect(out.filter((line) => line.includes(`"name": "${name}"`))).toHaveLength(4)
  })

  test('names the same error as the daemon where all scans lack the path', async () => {
    const old: Fault = { kind: 'unknown-path', only: ['by-name'] }
    await fault({ 'sv-1': old, 'sv-2': old, 'sv-3': old, 'sv-4': old })
    const { code, out } = await run(name, { json: true })
    expect(code).toBe(69)
    expect(JSON.parse(`${out[0]}`)).toMatchObject({ kind: 'error', code: 'goneFromScans' })
  })
})
