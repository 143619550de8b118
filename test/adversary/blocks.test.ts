import { afterAll, expect, type TestContext, test } from 'vitest'
import { seededRandom } from '../../src/lib/random.ts'
import { reads } from '../../src/reads/table.ts'
import { Ballots } from '../../src/scan/ballots.ts'
import type { Connection } from '../../src/scan/connections.ts'
import type { InquiryOptions } from '../../src/scan/inquiry.ts'
import { JudgeThread } from '../../src/scan/judge-thread.ts'
import type { ScanNode, ScanRequest, ScanResponse } from '../../src/scan/node.ts'
import { askForRoster } from '../../src/scan/roster-poll.ts'
import { ansEntry, rulesOf } from '../mirror/contracts.ts'
import { drainFrom } from '../mirror/drained-network.ts'
import { drainedSet, hourMs, judged, type Mirrored, mirrored, party, t0 } from '../mirror/mirrored.ts'
import { SnapshotScan } from '../mirror/snapshot-scan.ts'
import { samples } from '../reads/samples.ts'
import { longestBlockMs } from '../support/longest-block.ts'
import { ManualClock } from '../support/manual-clock.ts'

const mostMs = 50
/** A busy machine counted 44 ms while a set was taken, and may count more. */
const mostMsOfSets = 100
const timeout = 120_000
const judge = new JudgeThread({ clock: new ManualClock() })
afterAll(() => judge[Symbol.asyncDispose]())
const { signal } = new AbortController()

function said(body: Buffer): ScanResponse {
  return { kind: 'response', status: 200, body, release: () => {} }
}

const [entry] = [ansEntry('alice.cns')]
const parties = JSON.stringify(Array.from({ length: 60_000 }, (_, nth) => `a${nth}`))
const partyLists = Array.from({ length: 7 }, () =>
  JSON.stringify({ ...entry, observers: '@' }).replace('"@"', () => parties),
).join()

test.for([
  ['long lists of parties', `[${partyLists}]`],
  ['what is no JSON', '['.repeat(4_194_304)],
])(
  'a page of a snapshot with %s blocks the event loop for a moment only',
  { timeout },
  async ([, events], { annotate }) => {
    const ledger = [...Array.from({ length: 4 }, (_, nth) => ansEntry(`name-${nth}.cns`)), ...rulesOf()]
    const page = Buffer.from(
      `{"record_time":"2026-03-01T12:00:00Z","migration_id":3,"created_events":${events}}`,
    )
    const drain = async () => {
      const scans = [1, 2, 3, 4].map((seed) => new SnapshotScan('honest', ledger, seededRandom(seed)))
      const [liar] = scans as [SnapshotScan]
      const honest = liar.node.bind(liar)
      liar.node = (url) => ({ ...honest(url), ask: async () => said(page) })
      const outcome = await drainFrom(scans, { drain: { fanout: 'all', patient: true } })
      const report = { scans: [{ outcome: 'none' }, {}, {}, {}] }
      expect(outcome).toMatchObject({ kind: 'agreed', report })
    }
    await within(annotate, drain)
  },
)

async function within(
  annotate: TestContext['annotate'],
  run: () => Promise<unknown>,
  most = mostMs,
): Promise<void> {
  const blocked = await longestBlockMs(run)
  await annotate(`longest block ${blocked.toFixed(1)} ms`)
  expect(blocked).toBeLessThan(most)
}

const names = 40_000
const entries = Array.from({ length: names }, (_, nth) => ({
  contract_id: `00${String(nth).padStart(64, '0')}`,
  user: party(`user-${nth % 1_000}`),
  name: `name-${(nth * 7_919) % names}.unverified.cns`,
  url: `https://name-${nth}.example`,
  description: '',
  expires_at: '2026-12-01T00:00:00Z',
}))

async function take(stage: Mirrored, at: number): Promise<void> {
  expect(await judged(stage, drainedSet(entries, { at }), at)).toBe('taken')
}

test.for(['bindings', 'stream'] as const)(
  'a set of 40,000 names, and the next one, is taken at level %s without a block of the event loop',
  { timeout },
  async (level, { annotate }) => {
    const takeTwo = async () => {
      const stage = mirrored({ maxEntries: 200_000 }, { level })
      await take(stage, t0)
      await take(stage, t0 + 3 * hourMs)
      expect(stage.mirror.taken?.names.index.size).toBe(names)
    }
    await within(annotate, takeTwo, mostMsOfSets)
  },
)

test('rules of a megabyte from eight super validators block the event loop for a moment only', {
  timeout,
}, async ({ annotate }) => {
  const { amulet_rules_update: update } = samples.getAmuletRules.reply
  const filler = Array.from({ length: 30_000 }, (_, nth) => ({ [`k${nth}`]: nth }))
  const payload = { ...update.contract.payload, filler }
  const long = JSON.stringify({
    amulet_rules_update: { ...update, contract: { ...update.contract, payload } },
  })
  const bodyOf = (path: string) => {
    if (path.endsWith('/amulet-rules')) return long
    return JSON.stringify((path.endsWith('/v0/scans') ? samples.listDsoScans : samples.getDsoPartyId).reply)
  }
  const options = { requestTimeoutMs: 5_000, maxResponseBytes: 1 << 25 } as InquiryOptions
  const connections = Array.from(
    { length: 8 },
    (_, nth) =>
      ({
        node: { url: `https://${nth}.example` } as ScanNode,
        askForDaemon: async ({ path }: ScanRequest) => said(Buffer.from(bodyOf(path))),
      }) as unknown as Connection,
  )
  const ask = async () => {
    const replies = await Promise.all(connections.map((one) => askForRoster(one, options, { judge, signal })))
    expect(new Set(replies.map(({ kind }) => kind))).toEqual(new Set(['set']))
  }
  await within(annotate, ask)
})

test.for(['x'.repeat(4_000_000), '{"a":0,'.padEnd(4_000_000, ' '), '[]'.repeat(2_000_000)])(
  'an answer of /dso with four megabytes in a member blocks the event loop for a moment only',
  { timeout },
  async (text, { annotate }) => {
    const body = Buffer.from(
      JSON.stringify({ ...samples.getDsoInfo.reply, sv_user: text.slice(0, 4_000_000) }),
    )
    const hear = async () => {
      const ballots = new Ballots(
        { read: reads.getDsoInfo, params: {} },
        { judge: { thread: judge, nameOf: String } },
      )
      for (let voter = 0; voter < 4; voter++)
        await ballots.hear(voter, 200, Buffer.from(body).fill(65 + voter, 12, 20))
    }
    await within(annotate, hear)
  },
)
