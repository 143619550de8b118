import { expect, test } from 'vitest'
import type { MirroredEntry } from '../../src/mirror/mirrored-contracts.ts'
import { gridMs } from '../../src/mirror/snapshot-grid.ts'
import { followed } from './ledger-model.ts'
import {
  agreementOf,
  drainedSet,
  entryOf,
  hourMs,
  judged,
  type Mirrored,
  mirrored,
  party,
  rosterOf,
  setOf,
  t0,
  take,
} from './mirrored.ts'

const report = {} as never
const life = { lifeMs: 1_000 * hourMs, user: party('alice') }
const names = ['alice', 'bob', 'carol'].map((label) => entryOf(`${label}.unverified.cns`))
const [alice, bob, carol] = names as [MirroredEntry, MirroredEntry, MirroredEntry]
const later = rosterOf(['sv-1', 'sv-3', 'sv-4', 'sv-5'])

function judgedSet(stage: Mirrored, entries: readonly MirroredEntry[]): Promise<string> {
  const at = t0 + gridMs
  const agreement = agreementOf(['sv-3', 'sv-4'])
  return judged(stage, drainedSet(entries, { at, agreement, trustDigest: later.trustDigest }), at)
}

test('a drain without an agreed set ends with a sentence about the snapshot', async () => {
  expect(await judged(mirrored(), { kind: 'not-yet', report }, Date.parse('2026-11-24T09:00:00Z'))).toBe(
    'not-yet: Too few super validators have the snapshot of 2026-11-24T09:00:00Z yet. Most have it some minutes after that time.',
  )
})

test('a set that the mirror does not take ends with the reason, of which it has more than one', async () => {
  const stage = mirrored({ maxEntries: 1 })
  const drained = (entries: readonly MirroredEntry[], at: number) =>
    judged(stage, drainedSet(entries, { at }), at)
  expect(await drained([alice], t0 + gridMs)).toBe('taken')
  expect(await drained([alice], t0)).toBe('failed: The mirror has a later set.')
  expect(await drained([alice, bob], t0 + 2 * gridMs)).toBe('too-many-entries')
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
  const taken = entryOf(alice.name, { user: party('mallory') })
  expect(await judgedSet(stage, [taken, carol])).toBe('taken')
  expect(stage.find(carol.name)).toEqual(carol)
  expect([stage.find(alice.name), stage.find(bob.name)]).toEqual([undefined, undefined])
  expect(stage.mirror.contradictionCount).toBe(2)
  expect(stage.evidence).toHaveLength(2)
  take(stage.mirror, setOf([taken, carol], { at: t0 + 2 * gridMs, agreement: agreementOf(['sv-3', 'sv-4']) }))
  expect(stage.find(alice.name)).toEqual(taken)
})

test('updates after a set of super validators that are gone do not contradict a set of the present ones', async () => {
  const stage = followed()
  const { mirror, ledger, follow } = stage
  take(mirror, setOf([]))
  ledger.write(alice.name, t0 + 1_000, life)
  ledger.pass(t0 + gridMs + 1)
  follow()
  stage.use(later)
  expect(await judgedSet(stage, [carol])).toBe('taken')
  expect(mirror.state?.following?.index.entries()).toEqual([carol])
})

test('a snapshot that contradicts the followed updates stops the mirror, and the next one starts it again', async () => {
  const stage = followed()
  const { mirror, clock, ledger, follow, served } = stage
  take(mirror, setOf([]))
  ledger.write(alice.name, t0 + 1_000, life)
  ledger.pass(t0 + gridMs + 1)
  follow()
  const drained = (entries: readonly MirroredEntry[], at: number) =>
    judged(stage, drainedSet(entries, { at }), at)

  expect(await drained([carol], t0 + gridMs)).toBe('unreconciled')
  expect([served(alice.name), mirror.state?.following]).toEqual([undefined, undefined])
  expect(stage.evidence).toHaveLength(1)
  expect(stage.told).toContain('unreconciled')

  clock.advance(2 * gridMs)
  ledger.write(carol.name, t0 + gridMs + 2, life)
  ledger.pass(t0 + 2 * gridMs + 1)
  follow()
  const entries = ledger.before(t0 + 2 * gridMs).filter(({ name }) => name === alice.name)
  expect(await drained(entries, t0 + 2 * gridMs)).toBe('taken')
  follow()
  expect(served(alice.name)?.asOf?.claim).toBe('state')
})
