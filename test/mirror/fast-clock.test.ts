import { describe, expect, test } from 'vitest'
import { momentOf } from '../../src/base/lib/clock.ts'
import type { Answer } from '../../src/core/cache/answer.ts'
import { listAnsEntries, lookupAnsEntryByParty } from '../../src/core/reads/ans.ts'
import { mirrorStatus } from '../../src/mirror/mirror-status.ts'
import { ago } from '../support/manual-clock.ts'
import { followed } from './ledger-model.ts'
import {
  agreementOf,
  byName,
  entryOf,
  hourMs,
  liveValue,
  mirrored,
  party,
  setOf,
  t0,
  take,
} from './mirrored.ts'

const brief = entryOf('brief.unverified.cns', { expires_at: '2026-01-01T02:00:00Z' })
const bob = entryOf('bob.unverified.cns', { user: party('bob') })

/**
 * Makes a mirror that follows a ledger without changes. The daemon's clock is an hour ahead, so that one of two names
 * seems to have expired.
 */
function ahead() {
  const { mirror, clock, follow, served } = followed()
  take(mirror, setOf([brief, bob]))
  clock.advance(1.5 * hourMs)
  clock.setWall(t0 + 2.5 * hourMs)
  follow()
  const ask = (read: typeof lookupAnsEntryByParty | typeof listAnsEntries, params: Record<string, string>) =>
    mirror.find({ read, params }, undefined, undefined)?.answer
  return {
    mirror,
    clock,
    follow,
    name: (name: string) => served(name)?.answer,
    party: (name: string) => ask(lookupAnsEntryByParty, { party: name }),
    list: (name_prefix: string) => ask(listAnsEntries, { name_prefix, page_size: '10' }),
  }
}

const statusOf = (answer: Answer | undefined) => answer?.status

describe('while the own clock is fast', () => {
  test('a name that has expired by it alone is neither served nor said to be absent', () => {
    const { name, party, list } = ahead()
    expect([name(brief.name), party(brief.user), list('b')]).toEqual([undefined, undefined, undefined])
    expect(
      [name(bob.name), party(bob.user), list('bob'), name('nobody.unverified.cns')].map(statusOf),
    ).toEqual([200, 200, 200, 404])
  })

  test('an absence is said as soon as super validators confirm that the ledger has come as far', () => {
    const { mirror, clock, follow, name, party } = ahead()
    mirror.time.learn(t0 + 2 * hourMs + 1, ago(clock))
    follow()
    expect([name(brief.name), party(brief.user)].map(statusOf)).toEqual([404, 404])
  })

  test('no absence is said of the time for which super validators took to answer', () => {
    const { mirror, clock, follow, name } = ahead()
    // The ledger was there when the last of them answered, which may be all of a time-out after they were asked.
    mirror.time.learn(t0 + 2 * hourMs - 5_000, ago(clock, 10_000), ago(clock))
    follow()
    expect(statusOf(name(brief.name))).toBeUndefined()
  })

  test('a renewal that a live read found is not taken back by the state, although the state had no answer then', () => {
    const { mirror, clock, name } = ahead()
    const renewed = { ...brief, contract_id: '00ff', expires_at: '2026-01-01T09:00:00Z' }
    mirror.agreed(byName(brief.name), liveValue(renewed))
    mirror.time.learn(t0 + 2 * hourMs + 1, ago(clock))
    expect(statusOf(name(brief.name))).not.toBe(404)
  })
})

test.each(['bindings', 'stream'] as const)(
  'after the own clock was far ahead, names are read live at level %s, and the status says so until the ledger has come as far',
  (level) => {
    const { mirror, clock, find } = mirrored({}, { level })
    take(mirror, setOf([brief, bob]))
    const agreement = agreementOf(['sv-1', 'sv-2'])
    mirror.follow({ items: [], agreement, isFull: false, askedAt: ago(clock) })
    const why = () =>
      mirrorStatus(
        mirror,
        { nextAt: t0, receivedBytes: 0, reconciled: null, lastDrainFailedBecause: undefined },
        momentOf(clock),
      ).liveBecause
    expect([find(bob.name), why()]).toEqual([bob, null])
    const far = Date.parse('2027-01-01T00:00:00Z')
    clock.setWall(far)
    expect([find(bob.name), why()]).toEqual([undefined, null])
    clock.setWall(t0)
    const says =
      'The clock of this daemon was set back from 2027-01-01T00:00:00.000Z: names that expire before then are read live until a restart.'
    expect([find(bob.name), why()]).toEqual([undefined, says])
    mirror.time.learn(far, ago(clock))
    expect(why()).toBeNull()
  },
)
