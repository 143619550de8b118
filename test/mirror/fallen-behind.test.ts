import { expect, test } from 'vitest'
import { ago } from '../support/manual-clock.ts'
import { LedgerModel } from './ledger-model.ts'
import {
  agreementOf,
  byName,
  hourMs,
  liveAbsence,
  mirrored,
  party,
  rosterOf,
  setOf,
  t0,
  take,
} from './mirrored.ts'

const life = { lifeMs: 1_000 * hourMs, user: party('alice') }
const [old, fresh] = ['old.unverified.cns', 'fresh.unverified.cns'] as const

/** Makes a mirror of one name that has followed the registration of another, and then fell behind. */
function behind() {
  const { mirror, clock, evidence, use } = mirrored({}, { level: 'stream' })
  const ledger = new LedgerModel([])
  ledger.write(old, t0 - 1_000, life)
  take(mirror, setOf(ledger.before(t0)))
  ledger.write(fresh, t0 + 1_000, life)
  const follow = () => {
    const items = ledger.after(Date.parse(mirror.state?.following?.cursor.at ?? ''), 100)
    mirror.follow({ items, agreement: agreementOf(['sv-3', 'sv-4']), isFull: false, askedAt: ago(clock) })
  }
  follow()
  clock.advance(120_000)
  const served = (name: string) => mirror.find(byName(name))
  return { mirror, ledger, clock, evidence, use, follow, served }
}

test('while the updates are behind, names are bound by the snapshot, or by the last update that was followed', () => {
  const { served } = behind()
  expect(served(old)?.asOf).toEqual({ at: t0, claim: 'binding', basis: 'snapshot', generation: 1 })
  expect(served(old)?.answer.agreement.agreed).toEqual(['sv-1', 'sv-2'])
  expect(served(fresh)?.asOf).toEqual({ at: t0 + 1_000, claim: 'binding', basis: 'stream', generation: 1 })
  expect(served(fresh)?.answer.agreement.agreed).toEqual(['sv-3', 'sv-4'])
  expect(served('nobody.unverified.cns')).toBeUndefined()
})

test('while the updates are behind, a name is not bound by an entry that the ledger was followed to have archived', () => {
  const { ledger, clock, follow, served } = behind()
  ledger.write(old, clock.wall(), life)
  follow()
  clock.advance(120_000)
  const renewed = Date.parse(JSON.parse(served(old)?.answer.body.toString() ?? '').entry.expires_at)
  expect(renewed).toBe(t0 - 1_000 + 2 * life.lifeMs)
})

test('a live read that is behind the followed updates contradicts nothing, and leaves the name to live reads', () => {
  const { mirror, evidence, served } = behind()
  mirror.agreed(byName(fresh), liveAbsence(fresh))
  expect([served(fresh), evidence]).toEqual([undefined, []])
})

test('a later roster than that of the updates takes no name from them, and keeps those of the snapshot', () => {
  const { use, served } = behind()
  use(rosterOf(['sv-1', 'sv-2', 'sv-5', 'sv-6']))
  expect(served(old)?.asOf?.basis).toBe('snapshot')
  expect(served(fresh)).toBeUndefined()
})

test('a later snapshot binds the names that the updates before it registered', () => {
  const { mirror, ledger, clock, follow, served } = behind()
  const at = t0 + 3 * hourMs
  ledger.pass(at + 1)
  clock.advance(3 * hourMs)
  follow()
  take(mirror, setOf(ledger.before(at), { at }))
  clock.advance(120_000)
  expect(served(fresh)?.asOf).toEqual({ at, claim: 'binding', basis: 'snapshot', generation: 2 })
})
