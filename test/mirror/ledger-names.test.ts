import { describe, expect, test } from 'vitest'
import type { Moment } from '../../src/base/lib/clock.ts'
import { wholeWork } from '../../src/base/lib/in-portions.ts'
import type { AgreedSet } from '../../src/mirror/agreed-set.ts'
import { type FollowOutcome, LedgerNames } from '../../src/mirror/ledger-names.ts'
import type { LedgerReach } from '../../src/mirror/ledger-time.ts'
import type { UpdateItem } from '../../src/mirror/update-items.ts'
import { LedgerModel } from './ledger-model.ts'
import { agreementOf, byName, entryOf, hourMs, party, setOf, t0 } from './mirrored.ts'

const agreement = agreementOf(['sv-1', 'sv-3'])
const alice = entryOf('alice.unverified.cns')
const life = { lifeMs: 1_000 * hourMs, user: party('alice') }

function momentAt(now: number): Moment {
  return { now, wall: t0 + now }
}

function followingOf(set: AgreedSet): LedgerNames {
  return wholeWork(LedgerNames.of(set))
}

function follow(following: LedgerNames, items: readonly UpdateItem[], isFull = false): FollowOutcome {
  return following.follow({ items, agreement, isFull, askedAt: momentAt(5_000) })
}

function updateAt(at: number, more: object = {}): UpdateItem {
  const ledger = new LedgerModel([])
  ledger.pass(at)
  return { ...(ledger.after(0, 1)[0] as UpdateItem), ...more }
}

describe('updates that do not follow from the state end it', () => {
  test.each([
    ['one of another migration', { migration_id: 1 }, 'The ledger went on in migration 1.'],
    [
      'one of another synchronizer',
      { synchronizer_id: 'other::1220' },
      'The ledger went on at the synchronizer other::1220.',
    ],
  ])('%s', (_, more, why) => {
    const following = followingOf(setOf([alice]))
    expect(follow(following, [updateAt(t0 + 1)]).kind).toBe('followed')
    expect(follow(following, [updateAt(t0 + 2, more)])).toEqual({ kind: 'broken', why })
  })

  test.each([0, -1])('one whose record time does not grow (%i ms)', (ms) => {
    const following = followingOf(setOf([alice]))
    const outcome = follow(following, [updateAt(t0 + 10), updateAt(t0 + 10 + ms)])
    expect(outcome.kind).toBe('broken')
  })

  test.each([
    ['unassigned', { contract_id: alice.contract_id, migration_id: 0 }],
    ['assigned', { migration_id: 0, created_event: { ...createdEvent(), contract_id: 'any' } }],
  ])('one in which an entry is %s', (_, event) => {
    const following = followingOf(setOf([alice]))
    const item = { update_id: '1220', offset: '1', record_time: '2026-01-01T00:00:01Z', event } as UpdateItem
    expect(follow(following, [item])).toMatchObject({ kind: 'broken' })
  })

  test.each([
    ['an update', { update_id: '1220', migration_id: 0, record_time: '2026-01-01T00:00:01Z', topology: {} }],
    [
      'a reassignment',
      { update_id: '1220', record_time: '2026-01-01T00:00:01Z', event: { migration_id: 0 } },
    ],
    ['an event', updateAt(t0 + 1, { events_by_id: { a: { event_type: 'fetched_event' } } })],
  ])('%s of a kind that this release does not know', (_, item) => {
    const following = followingOf(setOf([alice]))
    expect(follow(following, [item as UpdateItem])).toEqual({
      kind: 'broken',
      why: 'The ledger has an update of a kind that this release does not know.',
    })
  })

  test('one with an entry in a form that this release does not know', () => {
    const following = followingOf(setOf([]))
    const event = { ...createdEvent(), create_arguments: { ...createdEvent().create_arguments, name: 7 } }
    expect(follow(following, [updateAt(t0 + 1, { events_by_id: { a: event } })])).toMatchObject({
      kind: 'broken',
    })
  })
})

test('an entry of another DSO, or one that the DSO has not signed, is none', () => {
  const following = followingOf(setOf([]))
  const { create_arguments: fields } = createdEvent()
  const forged = [
    { ...createdEvent(), create_arguments: { ...fields, dso: party('other') } },
    { ...createdEvent(), signatories: [] },
  ]
  for (const [index, event] of forged.entries()) {
    const outcome = follow(following, [updateAt(t0 + 1 + index, { events_by_id: { a: event } })])
    expect(outcome).toMatchObject({ kind: 'followed', changes: [] })
  }
  expect(following.index.size).toBe(0)
})

test('an entry that one update creates and archives leaves no trace', () => {
  const following = followingOf(setOf([]))
  const created = createdEvent()
  const archived = { event_type: 'exercised_event', contract_id: created.contract_id, consuming: true }
  const outcome = follow(following, [updateAt(t0 + 1, { events_by_id: { a: created, b: archived } })])
  expect(outcome).toMatchObject({ kind: 'followed', changes: [] })
})

/**
 * The daemon's clock agrees with the clocks of the super validators here, so `reached` and `confirmed` are the same
 * time.
 */
function reachOf(at: number): LedgerReach {
  return { reached: at, confirmed: at }
}

test('an update of the very instant of the snapshot may be in it already', () => {
  const ledger = new LedgerModel([])
  ledger.write('bob.unverified.cns', t0, life)
  const [bob] = ledger.before(t0 + 1)
  const following = followingOf(setOf([alice, bob ?? alice]))
  expect(follow(following, ledger.after(0, 10))).toMatchObject({ kind: 'followed', changes: [] })
  expect(following.index.find(byName('bob.unverified.cns'), reachOf(t0 + 1))).toMatchObject({
    kind: 'entry',
    held: { entry: bob },
  })
})

test('changes list the created, renewed, expired and withdrawn names with their times', () => {
  const ledger = new LedgerModel([])
  const following = followingOf(setOf([]))
  ledger.write('bob.unverified.cns', t0 + 1_000, { ...life, lifeMs: hourMs })
  ledger.write('bob.unverified.cns', t0 + 2_000, { ...life, lifeMs: hourMs })
  ledger.sweep(t0 + 3 * hourMs)
  const outcome = follow(following, ledger.after(0, 10))
  const changes = outcome.kind === 'followed' ? outcome.changes : []
  expect(changes.map(({ at }) => at)).toEqual([
    '2026-01-01T00:00:01Z',
    '2026-01-01T00:00:02Z',
    '2026-01-01T03:00:00Z',
  ])
  expect(changes[0]?.added).toHaveLength(1)
  expect(changes[1]?.renewed).toHaveLength(1)
  expect(changes[2]?.expired).toHaveLength(1)
})

describe('a later snapshot', () => {
  const t1 = t0 + 3 * hourMs

  function followedPast(): { readonly following: LedgerNames; readonly ledger: LedgerModel } {
    const ledger = new LedgerModel([])
    const following = followingOf(setOf([]))
    ledger.write('bob.unverified.cns', t0 + 1_000, life)
    ledger.write('carol.unverified.cns', t1 + 1_000, life)
    follow(following, ledger.after(0, 10))
    return { following, ledger }
  }

  test('that has other entries is different, and says which', () => {
    const { following, ledger } = followedPast()
    const [bob] = ledger.before(t1)
    const other = { ...(bob ?? alice), user: party('mallory') }
    expect(wholeWork(following.reconcile(setOf([other], { at: t1 })))).toEqual({
      kind: 'different',
      difference: { followed: [bob], drained: [other] },
    })
  })

  test('that another roster agreed on restarts the state, because that roster did not agree on the updates', () => {
    const { following, ledger } = followedPast()
    const set = setOf(ledger.before(t1), { at: t1, trustDigest: 'another' })
    expect(wholeWork(following.reconcile(set))).toEqual({ kind: 'equal' })
    expect(following.continues(set)).toBe(false)
  })
})

function createdEvent() {
  const ledger = new LedgerModel([])
  ledger.write('bob.unverified.cns', t0 + 1, life)
  const [item] = ledger.after(0, 1)
  if (item === undefined || 'event' in item) throw new Error('the model has one transaction')
  const [event] = Object.values(item.events_by_id)
  if (event?.event_type !== 'created_event') throw new Error('it creates an entry')
  return event
}
