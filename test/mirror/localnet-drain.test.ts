import { afterAll, beforeAll, expect, test } from 'vitest'
import { bootstrap } from '../../src/automation/bootstrap.ts'
import { type EmbeddedLedger, openEmbeddedLedger } from '../../src/ledger/embedded/embedded-ledger.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { seededRandom } from '../../src/lib/random.ts'
import { type Localnet, startLocalnet } from '../../src/localnet/localnet.ts'
import { drainByQuorum } from '../../src/mirror/quorum-drain.ts'
import { entryBody } from '../../src/reads/mirrored-entry.ts'
import { Connections } from '../../src/scan/connections.ts'
import { Budgets } from '../../src/scan/in-flight-budget.ts'
import { JudgeThread } from '../../src/scan/judge-thread.ts'
import { createUndiciScanNode } from '../../src/scan/node.undici.ts'
import { Roster } from '../../src/scan/roster.ts'
import { nameOf } from '../automation/network.ts'
import { type Pair, register } from '../ledger/submissions.ts'
import { ask, askJson, byName } from '../localnet/ask.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { silentEvents } from '../telemetry/silent-events.ts'

const clock = new ManualClock()
const migrationId = 0
const names = ['alice', 'bob', 'carol'].map(nameOf)
let ledger: EmbeddedLedger
let localnet: Localnet
let pair: Pair
let connections: Connections

beforeAll(async () => {
  ledger = await openEmbeddedLedger({}, { clock })
  pair = {
    dso: await bootstrap(ledger, { acronym: 'cns', now: clock.wall() * 1_000 }),
    user: await ledger.partyOf('alice', 'alice'),
  }
  localnet = await startLocalnet({ superValidators: 4 }, { clock, ledger })
  clock.advance(1_000)
  // Scans leave out the zeros at the end of a time. The microseconds of the three times end in no zero, in one zero and
  // in five zeros.
  for (const [index, micros] of [7, 120, 500_000].entries())
    await register(ledger, pair, names[index] as string, {
      expiresAt: Date.UTC(2026, 3, 1) * 1_000 + micros,
      description: `"${index}" ✓`,
    })
  clock.advance(4 * 3_600_000)
  connections = new Connections(
    { probeIntervalMs: 1e9, requestTimeoutMs: 5_000 },
    {
      clock: systemClock,
      budgets: new Budgets({ maxInFlight: 16, maxBufferedBytes: 1 << 26 }),
      events: silentEvents,
      connect: (url, budget, rateLimit) =>
        createUndiciScanNode(
          { url, budget, rateLimit, allowHttp: true, allowPrivate: true },
          { clock: systemClock },
        ),
    },
  )
})
afterAll(async () => {
  await connections[Symbol.asyncDispose]()
  await localnet[Symbol.asyncDispose]()
  await ledger[Symbol.asyncDispose]()
})

function drain(at: number) {
  const members = localnet.superValidators.map(({ name, url }) => ({ name, urls: [url] }))
  const set = { dso: pair.dso, synchronizer: 'global', members }
  const roster = new Roster(set, { mode: 'bft', threshold: 'f+1', thresholds: {}, operators: {} })
  const options = {
    fanout: 'all',
    patient: true,
    maxEntries: 200_000,
    requestTimeoutMs: 5_000,
    maxPageBytes: 1 << 23,
    deadlineMs: 15_000,
  } as const
  const judge = new JudgeThread({ clock: systemClock })
  const deps = { clock: systemClock, random: seededRandom(1), connections, judge, roster: () => roster }
  return drainByQuorum({ at, migrationId }, options, deps, new AbortController().signal)
}

async function latestSnapshot(): Promise<number> {
  const url = localnet.superValidators[0]?.url ?? ''
  const before = new Date(clock.wall()).toISOString()
  const path = `/api/scan/v0/state/acs/snapshot-timestamp?before=${before}&migration_id=${migrationId}`
  const { record_time: time } = await askJson(url, path)
  return Date.parse(time)
}

test('the entries of an agreed snapshot are printed byte for byte as each scan answers them by name', async () => {
  const outcome = await drain(await latestSnapshot())
  expect(outcome).toMatchObject({
    kind: 'agreed',
    report: { allSetsEqual: true, dissenters: [] },
  })
  if (outcome.kind !== 'agreed') return
  expect(outcome.set.entries.map(({ name }) => name).sort()).toEqual(names.toSorted())
  for (const entry of outcome.set.entries)
    for (const { url } of localnet.superValidators)
      expect((await ask(url, byName(entry.name))).text).toBe(entryBody(entry))
})

test('a snapshot that no scan has is not agreed on yet', async () => {
  expect(await drain((await latestSnapshot()) + 1)).toMatchObject({ kind: 'not-yet' })
})
