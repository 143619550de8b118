import { expect, test } from 'vitest'
import { type DrainAndTakeDeps, drainAndTake } from '../../src/mirror/drain-and-take.ts'
import type { DrainOutcome } from '../../src/mirror/quorum-drain.ts'
import { gridMs } from '../../src/mirror/snapshot-grid.ts'
import type { MirroredEntry } from '../../src/reads/mirrored-entry.ts'
import type { Case } from '../../src/scan/evidence-log.ts'
import { ago } from '../support/manual-clock.ts'
import { LedgerModel } from './ledger-model.ts'
import {
  agreementOf,
  entryOf,
  hourMs,
  type Mirrored,
  mirrored,
  party,
  rosterOf,
  setOf,
  t0,
  take,
} from './mirrored.ts'

const amuletRules = {
  amulet_rules_update: {
    contract: {
      payload: {
        configSchedule: {
          initialValue: { packageConfig: { amuletNameService: '0.1.23' } },
          futureValues: [],
        },
      },
    },
  },
}

async function judged({ mirror, clock, evidence }: Mirrored, at: number, drained: unknown): Promise<string> {
  let ended = ''
  const deps = {
    mirror,
    maxEntries: 1_000,
    packages: [],
    rules: async () => amuletRules,
    migrationId: async () => 0,
    learnHead: async () => {},
    drain: async () => drained as DrainOutcome,
    file: (found: Case) => evidence.push(found),
    reconciled: () => {},
    wall: () => clock.wall(),
    ended: (outcome: string, _report: unknown, why?: string) => {
      ended = why === undefined ? outcome : `${outcome}: ${why}`
    },
  } as unknown as DrainAndTakeDeps
  await drainAndTake(at, deps, new AbortController().signal)
  return ended
}

test('a drain without an agreed set ends with a sentence about the snapshot', async () => {
  expect(await judged(mirrored(), Date.parse('2026-11-24T09:00:00Z'), { kind: 'not-yet', report: {} })).toBe(
    'not-yet: Too few super validators have the snapshot of 2026-11-24T09:00:00Z yet. Most have it some minutes after that time.',
  )
})

test('a set that the mirror does not take ends with the reason, of which it has more than one', async () => {
  const stage = mirrored({ maxEntries: 1 })
  const drained = (entries: readonly MirroredEntry[], at: number) =>
    judged(stage, at, { kind: 'agreed', set: setOf(entries, { at }), report: {}, evidence: undefined })
  expect(await drained([entryOf('alice.cns')], t0 + gridMs)).toBe('taken')
  expect(await drained([entryOf('alice.cns')], t0)).toBe('failed: The mirror has a later set.')
  expect(await drained([entryOf('alice.cns'), entryOf('bob.cns')], t0 + 2 * gridMs)).toBe('too-many-entries')
})

const later = rosterOf(['sv-1', 'sv-3', 'sv-4', 'sv-5'])

function judgedSet(stage: Mirrored, entries: readonly MirroredEntry[]): Promise<string> {
  const at = t0 + gridMs
  const set = setOf(entries, { at, agreement: agreementOf(['sv-3', 'sv-4']), trustDigest: later.trustDigest })
  return judged(stage, at, { kind: 'agreed', set, report: {}, evidence: undefined })
}

const names = ['alice', 'bob', 'carol'].map((label) => entryOf(`${label}.unverified.cns`))
const [alice, bob, carol] = names as [MirroredEntry, MirroredEntry, MirroredEntry]
const mallory = { user: party('mallory') }

test('a snapshot with too many contracts of rules stops the mirror, which does not blame mirror.maxEntries', async () => {
  const stage = mirrored()
  take(stage.mirror, setOf(names))
  expect(await judged(stage, t0 + gridMs, { kind: 'too-many-others', report: {} })).toMatch(
    /^too-many-others: /,
  )
  expect(stage.mirror.degradation).toEqual({ kind: 'others' })
  expect(stage.find(alice.name)).toBeUndefined()
})

test('a set that lacks several names is refused while those that agreed on the former set are a quorum', async () => {
  const stage = mirrored()
  take(stage.mirror, setOf(names))
  stage.use(rosterOf(['sv-1', 'sv-2', 'sv-3', 'sv-4', 'sv-5']))
  expect(await judgedSet(stage, [carol])).toBe('withdrawn')
  expect(stage.mirror.degradation).toEqual({ kind: 'withdrawn', names: 2 })
  expect(stage.find(carol.name)).toBeUndefined()
})

test('super validators that are gone cannot hold a set back, and names that it takes from them are read live', async () => {
  const stage = mirrored()
  take(stage.mirror, setOf(names))
  stage.use(later)
  const taken = entryOf(alice.name, mallory)
  expect(await judgedSet(stage, [taken, carol])).toBe('taken')
  expect(stage.find(carol.name)).toEqual(carol)
  expect([stage.find(alice.name), stage.find(bob.name)]).toEqual([undefined, undefined])
  expect(stage.mirror.contradictionCount).toBe(2)
  expect(stage.evidence).toHaveLength(2)
  take(stage.mirror, setOf([taken, carol], { at: t0 + 2 * gridMs, agreement: agreementOf(['sv-3', 'sv-4']) }))
  expect(stage.find(alice.name)).toEqual(taken)
})

test('updates after a set of super validators that are gone do not contradict a set of the present ones', async () => {
  const stage = mirrored({}, { level: 'stream' })
  const { mirror, clock } = stage
  const ledger = new LedgerModel([])
  take(mirror, setOf([]))
  ledger.write(alice.name, t0 + 1_000, { lifeMs: 1_000 * hourMs, user: party('alice') })
  ledger.pass(t0 + gridMs + 1)
  const agreement = agreementOf(['sv-1', 'sv-2'])
  mirror.follow({ items: ledger.after(0, 10), agreement, isFull: false, askedAt: ago(clock) })
  stage.use(later)
  expect(await judgedSet(stage, [carol])).toBe('taken')
  expect(mirror.state?.following?.index.entries()).toEqual([carol])
})
