import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { mirrorDrain } from '../../src/cli/mirror-drain.ts'
import type { Fault } from '../../src/localnet/faults.ts'
import { startLocalnet } from '../../src/localnet/localnet.ts'
import { gridAfter } from '../../src/mirror/snapshot-grid.ts'
import { packageDir } from '../config/folder.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { printed } from './printed.ts'

const hourMs = 3_600_000
/**
 * A grid instant ten days after the machine's time. The ledger's time is an hour later, so a command that used the
 * machine's time would miss the latest snapshot.
 */
const at = gridAfter(Date.now() + 240 * hourMs)
const names = ['alice', 'bob', 'carol'].map((name) => `${name}-was-added.unverified.cns`)

/** The time of the latest snapshot, as the command reports it. */
const clock = new ManualClock(at - hourMs)
const localnet = await startLocalnet({ superValidators: 4 }, { clock })
const { world, superValidators } = localnet
for (const name of names)
  world.put({ name, user: superValidators[0]?.party ?? '', expiresAt: at + 99 * hourMs, description: '' })
clock.advance(2 * hourMs)
const { json } = await run()
const contracts = json.superValidators[0].contracts
const asOf = json.asOf
afterEach(async () => {
  for (const { name } of localnet.superValidators) await localnet.setFault(name, undefined)
})
afterAll(() => localnet[Symbol.asyncDispose]())

async function run({ json = true, dryRun = true, config = '{}', network = localnet } = {}) {
  const { print, out, err } = printed()
  const env = {
    SCAN_SEED_URLS: network.superValidators.map(({ url }) => url).join(','),
    NODE_CONFIG: config,
  }
  const code = await mirrorDrain({ json, 'dry-run': dryRun }, print, { env, cwd: packageDir, packageDir })
  return { code, out, err, json: json && out[0] !== undefined ? JSON.parse(out[0]) : undefined }
}

const missing: Fault = { kind: 'snapshot', how: 'missing' }

async function fault(faults: Readonly<Record<string, Fault>>): Promise<void> {
  for (const [name, what] of Object.entries(faults)) await localnet.setFault(name, what)
}

describe('mirror drain --dry-run', () => {
  test('shows what each super validator gave of the latest snapshot, and that all gave the same', async () => {
    const { code, out, err } = await run({ json: false })
    expect({ code, err }).toEqual({ code: 0, err: [] })
    expect(out.slice(0, 5)).toEqual([
      expect.stringMatching(/^super validator {2}digest +contracts +bytes +time +why$/),
      ...['sv-1', 'sv-2', 'sv-3', 'sv-4'].map((name) =>
        expect.stringMatching(new RegExp(`^${name} +[\\w-]{12} +${contracts} +\\d{3,} +[\\d.]+ m?s$`)),
      ),
    ])
    expect(new Set(out.slice(1, 5).map((line) => line.split(/ +/)[1])).size).toBe(1)
    expect(out.slice(5)).toEqual([
      '',
      expect.stringMatching(
        new RegExp(`^\\d+ names as of ${asOf.replace('.000', '')}\\. Nothing of this is kept\\.$`),
      ),
      expect.stringMatching(/^agreed by sv-1, sv-2, sv-3, sv-4: 4 of 4, 2 are needed$/),
      expect.stringMatching(/^\d{4,} bytes in [\d.]+ m?s$/),
      'all that gave a set gave the same',
    ])
  })

  test('says that a mirror would serve nothing while nobody audited the name-service package', async () => {
    const clock = new ManualClock(at)
    const options = { superValidators: 4, amuletNameService: '0.1.25' }
    await using network = await startLocalnet(options, { clock })
    const says = async (config: string) => (await run({ json: false, network, config })).out.join('\n')
    const unknown = /A mirror would serve nothing: The agreed AmuletRules use version 0\.1\.25 of /
    expect(await says('{}')).toMatch(unknown)
    expect(await says('{"mirror":{"packages":["0.1.25"]}}')).not.toMatch(unknown)
  })

  test('prints all of it as one line of JSON', async () => {
    const { code, out, json } = await run()
    expect({ code, lines: out.length }).toEqual({ code: 0, lines: 1 })
    expect(json).toMatchObject({ kind: 'agreed', asOf, alike: true, dissenters: [] })
    expect(json.names).toBeGreaterThanOrEqual(names.length)
    expect(contracts).toBeGreaterThan(json.names)
    const { digest, bytes, superValidators } = json
    expect(superValidators).toEqual(
      ['sv-1', 'sv-2', 'sv-3', 'sv-4'].map((name) => ({
        names: [name],
        outcome: 'set',
        digest,
        contracts,
        bytes: bytes / 4,
        seconds: expect.any(Number),
        why: null,
      })),
    )
    expect(json.availableAfterSeconds).toEqual(expect.any(Number))
  })

  test('names who differs, and why one gave nothing', async () => {
    await fault({ 'sv-2': { kind: 'snapshot', how: 'added' }, 'sv-4': { kind: 'reset' } })
    const { code, out } = await run({ json: false })
    expect(code).toBe(0)
    expect(out[2]).toMatch(new RegExp(`^sv-2 +[\\w-]{12} +${contracts + 1} `))
    expect(out[4]).toMatch(/^sv-4 +- +- +0 +\S.* {2}(reset|unreachable)$/)
    expect(out.at(-1)).toBe('DIFFERENT: sv-2')
  })

  test('ends with 69 where fewer than a quorum have the snapshot', async () => {
    await fault({ 'sv-1': missing, 'sv-2': missing, 'sv-3': missing })
    const { code, json } = await run()
    expect({ code, kind: json.kind, names: json.names }).toEqual({
      code: 69,
      kind: expect.stringMatching(/^(not-yet|unreachable)$/),
      names: undefined,
    })
    expect(json.superValidators[0]).toMatchObject({ names: ['sv-1'], digest: null, contracts: null })
    expect(json.superValidators[0]).toMatchObject({ outcome: 'none', why: expect.any(String) })
  })

  test('ends with 1 and says so where there are more names than the mirror takes', async () => {
    const { code, out } = await run({ json: false, config: '{"mirror":{"maxEntries":1}}' })
    expect(code).toBe(1)
    expect(out).toContain(
      `The snapshot of ${asOf.replace('.000', '')} has more than 1 names, which is mirror.maxEntries.`,
    )
  })

  test('without --dry-run is refused, because a daemon drains by itself', async () => {
    expect(await run({ json: false, dryRun: false })).toMatchObject({
      code: 64,
      out: [],
      err: [
        'error: mirror drain needs --dry-run: a daemon whose mirror.level is bindings or stream drains by itself',
      ],
    })
  })

  test('ends with 78 where the configuration cannot be used', async () => {
    expect(await run({ json: false, config: '{"mirror":{"maxEntries":0}}' })).toMatchObject({
      code: 78,
      out: [],
      err: [expect.stringContaining('mirror.maxEntries')],
    })
  })
})
