import { expect, test } from 'vitest'
import { followed } from './ledger-model.ts'
import { byName, hourMs, liveAbsence, liveValue, party, rosterOf, setOf, t0, take } from './mirrored.ts'

const name = 'alice.unverified.cns'
const life = { lifeMs: 1_000 * hourMs, user: party('alice') }
const [old, fresh] = ['old.unverified.cns', 'fresh.unverified.cns'] as const

function from(withholdsAbsence = () => false) {
  const stage = followed(undefined, { withholdsAbsence })
  take(stage.mirror, setOf([]))
  stage.follow()
  return { ...stage, served: () => stage.served(name) }
}

/** Makes a mirror of one name that has followed the registration of another, and then fell behind. */
function behind() {
  const stage = followed(['sv-3', 'sv-4'])
  const { mirror, clock, ledger, follow } = stage
  ledger.write(old, t0 - 1_000, life)
  take(mirror, setOf(ledger.before(t0)))
  ledger.write(fresh, t0 + 1_000, life)
  follow()
  clock.advance(120_000)
  return stage
}

test('after a live read found a name, the state does not say that there is none', () => {
  const { mirror, clock, ledger, follow, served } = from()
  expect(served()?.answer.status).toBe(404)
  clock.advance(1_000)
  ledger.write(name, clock.wall(), life)
  const [entry] = ledger.before(clock.wall() + 1)
  if (entry === undefined) throw new Error('the ledger has the entry')
  clock.advance(1_000)
  mirror.agreed(byName(name), liveValue(entry))
  expect(served()?.asOf).toMatchObject({ claim: 'binding', basis: 'live' })
  follow()
  expect(served()?.asOf?.claim).toBe('state')
  expect(served()?.answer.status).toBe(200)
})

test('after a live read found no name any more, the state waits until it comes as far', () => {
  const { mirror, clock, ledger, follow, served } = from()
  ledger.write(name, clock.wall() + 1, { ...life, lifeMs: 2_000 })
  follow()
  clock.advance(1_000)
  expect(served()?.asOf?.claim).toBe('state')
  mirror.agreed(byName(name), liveAbsence(name))
  expect(served()).toBeUndefined()
  clock.advance(10_000)
  ledger.sweep(clock.wall())
  follow()
  expect(served()?.answer.status).toBe(404)
})

test('a live read of the same answer changes nothing', () => {
  const { mirror, served } = from()
  mirror.agreed(byName(name), liveAbsence(name))
  expect(served()?.asOf).toMatchObject({ claim: 'state', at: t0 })
})

test('an absence is read live for some seconds after this daemon has learned of a change', () => {
  let isWithheld = false
  const { served } = from(() => isWithheld)
  expect(served()?.answer.status).toBe(404)
  isWithheld = true
  expect(served()).toBeUndefined()
})

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
