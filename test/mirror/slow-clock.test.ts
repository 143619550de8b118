import { describe, expect, test } from 'vitest'
import { MemoryMirrorStore } from '../../src/mirror/store.memory.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { LedgerModel } from './ledger-model.ts'
import {
  agreementOf,
  byName,
  entryOf,
  hourMs,
  liveAbsence,
  liveValue,
  mirrored,
  party,
  setOf,
  t0,
} from './mirrored.ts'

const alice = entryOf('alice.unverified.cns')
const bob = entryOf('bob.unverified.cns')

describe('while the own clock is behind the ledger', () => {
  test('what a live read finds is not kept, because the time of its agreement is not known', () => {
    const { mirror, clock, find } = mirrored()
    mirror.take(setOf([alice]))
    clock.advance(2 * hourMs)
    find(alice.name)
    clock.setWall(t0 + hourMs)
    mirror.agreed(byName(bob.name), liveValue(bob))
    expect(find(bob.name)).toBeUndefined()
    clock.setWall(t0 + 2 * hourMs)
    mirror.agreed(byName(bob.name), liveValue(bob))
    expect(find(bob.name)).toEqual(bob)
  })

  test('a clock that is slow by seconds keeps what live reads find, as of the time of the ledger', () => {
    const { mirror, clock } = mirrored()
    mirror.take(setOf([alice]))
    mirror.time.learn(t0 + 30_000, clock.now())
    mirror.agreed(byName(bob.name), liveValue(bob))
    expect(mirror.find(byName(bob.name), undefined, undefined)?.asOf?.at).toBe(t0 + 30_000)
  })

  test('a name that a live read contradicts stays live over a snapshot from before that', () => {
    const { mirror, clock, find } = mirrored()
    mirror.take(setOf([alice]))
    clock.advance(3 * hourMs + 60_000)
    find(alice.name)
    clock.setWall(t0 + 2 * hourMs)
    mirror.agreed(byName(alice.name), liveAbsence(alice.name))
    mirror.take(setOf([alice], { at: t0 + 3 * hourMs }))
    expect(find(alice.name)).toBeUndefined()
  })

  test('the state does not take back what a live read said, before it has come as far', () => {
    const { mirror, clock } = mirrored({}, { level: 'stream' })
    const ledger = new LedgerModel([])
    const follow = () => {
      const items = ledger.after(Date.parse(mirror.state?.following?.cursor.at ?? ''), 100)
      mirror.follow({ items, agreement: agreementOf(['sv-1', 'sv-2']), isFull: false, askedAt: clock.now() })
    }
    const status = () => mirror.find(byName(bob.name), undefined, undefined)?.answer.status
    mirror.take(setOf([]))
    clock.advance(2 * hourMs)
    follow()
    expect(status()).toBe(404)
    clock.setWall(t0 + hourMs)
    mirror.agreed(byName(bob.name), liveValue(bob))
    ledger.pass(t0 + 90 * 60_000)
    follow()
    expect(status()).toBeUndefined()
    ledger.pass(t0 + 2 * hourMs + 1)
    follow()
    expect(status()).toBe(404)
  })
})

test('a restart with a slow clock revives no name that had expired when the last update was followed', async () => {
  const store = new MemoryMirrorStore()
  const brief = entryOf('brief.unverified.cns', { expires_at: '2026-01-01T01:00:00Z' })
  const { mirror, clock } = mirrored({}, { level: 'stream', store })
  const ledger = new LedgerModel([])
  mirror.take(setOf([brief]))
  clock.advance(hourMs + 2_000)
  ledger.write('other.unverified.cns', t0 + hourMs + 1_000, { lifeMs: hourMs, user: party('bob') })
  const items = ledger.after(t0, 10)
  mirror.follow({ items, agreement: agreementOf(['sv-1', 'sv-2']), isFull: false, askedAt: clock.now() })
  const next = mirrored({}, { store, clock: new ManualClock(t0 + 10_000) })
  await next.mirror.load()
  expect(next.mirror.set?.entries).toEqual([brief])
  expect(next.find(brief.name)).toBeUndefined()
})
