import { expect, test } from 'vitest'
import { ago } from '../support/manual-clock.ts'
import { LedgerModel } from './ledger-model.ts'
import {
  agreementOf,
  byName,
  hourMs,
  liveAbsence,
  liveValue,
  mirrored,
  party,
  setOf,
  t0,
  take,
} from './mirrored.ts'

const name = 'alice.unverified.cns'
const life = { lifeMs: 1_000 * hourMs, user: party('alice') }

function followed(withholdsAbsence = () => false) {
  const { mirror, clock } = mirrored({}, { level: 'stream', withholdsAbsence })
  const ledger = new LedgerModel([])
  take(mirror, setOf([]))
  const follow = () => {
    const items = ledger.after(Date.parse(mirror.state?.following?.cursor.at ?? ''), 100)
    mirror.follow({ items, agreement: agreementOf(['sv-1', 'sv-2']), isFull: false, askedAt: ago(clock) })
  }
  follow()
  const served = () => mirror.find(byName(name), undefined, undefined)
  return { mirror, clock, ledger, follow, served }
}

test('after a live read found a name, the state does not say that there is none', () => {
  const { mirror, clock, ledger, follow, served } = followed()
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
  const { mirror, clock, ledger, follow, served } = followed()
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
  const { mirror, served } = followed()
  mirror.agreed(byName(name), liveAbsence(name))
  expect(served()?.asOf).toMatchObject({ claim: 'state', at: t0 })
})

test('an absence is read live for some seconds after this daemon has learned of a change', () => {
  let isWithheld = false
  const { served } = followed(() => isWithheld)
  expect(served()?.answer.status).toBe(404)
  isWithheld = true
  expect(served()).toBeUndefined()
})
