import { describe, expect, test } from 'vitest'
import { getAmuletRules } from '../../src/core/reads/dso.ts'
import { ago } from '../support/manual-clock.ts'
import {
  agreementOf,
  byName,
  entryOf,
  hourMs,
  Kept,
  liveAbsence,
  liveValue,
  mirrored,
  party,
  rosterOf,
  setOf,
  t0,
  take,
  written,
} from './mirrored.ts'

const alice = entryOf('alice.unverified.cns')
const later = '2026-07-01T00:00:00Z'

describe('a name of an agreed set', () => {
  test('is left to live reads if the caller wants it later than the snapshot', () => {
    const { mirror, clock, find } = mirrored()
    take(mirror, setOf([alice]))
    clock.advance(hourMs)
    expect(find(alice.name, t0)).toEqual(alice)
    expect(find(alice.name, t0 + 1)).toBeUndefined()
  })

  test('is left to live reads if two unexpired entries have it', () => {
    const { mirror, find } = mirrored()
    take(mirror, setOf([alice, { ...alice, contract_id: '00ff', user: party('bob') }]))
    expect(find(alice.name)).toBeUndefined()
    mirror.agreed(byName(alice.name), liveValue(alice))
    expect(find(alice.name)).toBeUndefined()
  })

  test('is found if only an expired entry has it too', () => {
    const { mirror, find } = mirrored()
    take(mirror, setOf([alice, entryOf(alice.name, { expires_at: '2025-12-31T00:00:00Z' })]))
    expect(find(alice.name)).toEqual(alice)
  })
})

test.each(['dso.cns', 'acme.sv.cns', 'nobody.cns'])('%s is left to live reads', (name) => {
  const { mirror, find } = mirrored()
  const set = ['dso.cns', 'acme.sv.cns'].map((each) => entryOf(each))
  take(mirror, setOf(set))
  expect(find(name)).toBeUndefined()
})

test('only lookups by name are answered', () => {
  const { mirror } = mirrored()
  take(mirror, setOf([alice]))
  const question = { read: getAmuletRules, params: { name: alice.name } }
  expect(mirror.find(question, undefined, undefined)).toBeUndefined()
})

describe('what a live read agreed on', () => {
  test('answers the next caller, with its own quorum and time', () => {
    const { mirror, clock, find } = mirrored()
    take(mirror, setOf([alice]))
    clock.advance(hourMs)
    const bob = entryOf('bob.unverified.cns', { user: party('bob') })
    mirror.agreed(byName(bob.name), liveValue(bob))
    clock.advance(1)
    const served = mirror.find(byName(bob.name), undefined, t0 + hourMs)
    expect(find(bob.name)).toEqual(bob)
    expect(served?.asOf).toEqual({ at: t0 + hourMs, claim: 'binding', basis: 'live', generation: 1 })
    expect(served?.answer.agreement.agreed).toEqual(['sv-3', 'sv-4'])
  })

  test('replaces an entry that it renews, and not one that it is older than', () => {
    const { mirror, find } = mirrored()
    take(mirror, setOf([alice]))
    const renewed = entryOf(alice.name, { expires_at: later })
    mirror.agreed(byName(alice.name), liveValue(renewed))
    expect(find(alice.name)).toEqual(renewed)
    mirror.agreed(byName(alice.name), liveValue(alice))
    expect(find(alice.name)).toEqual(renewed)
  })

  test('goes with the first later snapshot that lacks it, and becomes part of one that has it', () => {
    const { mirror, clock, find } = mirrored()
    take(mirror, setOf([alice]))
    clock.advance(hourMs)
    const [bob, carol] = ['bob.cns', 'carol.cns'].map((name) => entryOf(name)) as [typeof alice, typeof alice]
    for (const each of [bob, carol]) mirror.agreed(byName(each.name), liveValue(each))
    take(mirror, setOf([alice, bob], { at: t0 + 3 * hourMs }))
    expect(find(carol.name)).toBeUndefined()
    const served = mirror.find(byName(bob.name), undefined, undefined)
    expect(served?.asOf).toMatchObject({ at: t0 + 3 * hourMs, basis: 'snapshot', generation: 2 })
  })

  test('stays over a snapshot from before it', () => {
    const { mirror, clock, find } = mirrored()
    take(mirror, setOf([alice]))
    clock.advance(3 * hourMs + 60_000)
    const bob = entryOf('bob.cns')
    mirror.agreed(byName(bob.name), liveValue(bob))
    take(mirror, setOf([alice], { at: t0 + 3 * hourMs }))
    expect(find(bob.name)).toEqual(bob)
  })

  test.each([
    ['no entry', liveAbsence(alice.name)],
    ['another owner', liveValue({ ...alice, user: party('mallory') })],
    ['another url', liveValue({ ...alice, url: 'https://mallory.example' })],
    ['another description', liveValue({ ...alice, description: '' })],
  ])(
    'is filed where it contradicts a mirrored name (%s), which then goes live until the next snapshot',
    (_, answer) => {
      const { mirror, clock, evidence, find } = mirrored()
      take(mirror, setOf([alice]))
      clock.advance(hourMs)
      mirror.agreed(byName(alice.name), answer)
      expect(find(alice.name)).toBeUndefined()
      expect(mirror.contradictionCount).toBe(1)
      expect(evidence).toHaveLength(1)
      expect(evidence[0]?.statements.map(({ who }) => who)).toEqual([
        ['sv-3', 'sv-4'],
        ['sv-1', 'sv-2'],
      ])
      mirror.agreed(byName(alice.name), liveValue({ ...alice, user: party('mallory') }))
      expect(find(alice.name)).toBeUndefined()
      take(mirror, setOf([alice], { at: t0 + 3 * hourMs }))
      expect(find(alice.name)).toEqual(alice)
    },
  )

  test('is no contradiction where it is absent shortly before the expiry', () => {
    const { mirror, clock, evidence, find } = mirrored()
    const brief = entryOf('brief.cns', { expires_at: '2026-01-01T02:00:00Z' })
    take(mirror, setOf([brief]))
    clock.advance(2 * hourMs - 5_000)
    mirror.agreed(byName(brief.name), liveAbsence(brief.name))
    expect(find(brief.name)).toBeUndefined()
    expect(evidence).toEqual([])
  })

  test('is not added above the limit of names', () => {
    const { mirror, find } = mirrored({ maxEntries: 1 })
    take(mirror, setOf([alice]))
    const bob = entryOf('bob.cns')
    mirror.agreed(byName(bob.name), liveValue(bob))
    expect(find(bob.name)).toBeUndefined()
  })
})

describe('the set', () => {
  test('stays while those that agreed are members and meet the threshold', () => {
    const { mirror, find, use, told } = mirrored()
    take(mirror, setOf([alice]))
    use(rosterOf(['sv-1', 'sv-2', 'sv-5', 'sv-6']))
    expect(find(alice.name)).toEqual(alice)
    use(rosterOf(['sv-1', 'sv-3', 'sv-4', 'sv-5']))
    expect(find(alice.name)).toBeUndefined()
    expect(mirror.settledAt).toBeUndefined()
    expect(mirror.degradation).toEqual({ kind: 'roster' })
    take(mirror, setOf([alice], { agreement: agreementOf(['sv-3', 'sv-4']) }))
    expect(find(alice.name)).toEqual(alice)
    expect(told).toEqual(['restored', 'roster', 'restored'])
  })

  test.each([
    ['another host', 'https://moved.example'],
    ['the origin of another that agreed too', 'https://sv-1.example'],
    ['nowhere', 'nowhere'],
  ])('stays, with what live reads added, while a super validator that agreed moves to %s', (_, url) => {
    const { mirror, find, use } = mirrored()
    take(mirror, setOf([alice]))
    const bob = entryOf('bob.cns')
    mirror.agreed(byName(bob.name), liveValue(bob, ['sv-1', 'sv-2']))
    const names = ['sv-1', 'sv-2', 'sv-3', 'sv-4']
    expect(find(bob.name)).toEqual(bob)
    use(rosterOf(names, {}, { 'sv-2': url }))
    expect([find(alice.name), find(bob.name)]).toEqual([alice, bob])
    expect(mirror.degradation).toBeUndefined()
  })

  test('that was kept waits for the first roster, and nothing is reported before it serves', () => {
    const { mirror, use, told } = mirrored()
    use(undefined)
    take(mirror, setOf([alice]))
    expect(mirror.degradation).toEqual({ kind: 'no-roster' })
    expect(told).toEqual([])
    use(rosterOf(['sv-1', 'sv-2', 'sv-5', 'sv-6']))
    expect(mirror.degradation).toBeUndefined()
    expect(told).toEqual(['restored'])
  })
})

describe('a restart', () => {
  test('of another DSO is replaced by the first set of this one, however late the other ledger was', () => {
    const bob = entryOf('bob.unverified.cns')
    const { mirror, find, use, clock } = mirrored()
    const other = party('other')
    take(mirror, setOf([bob], { at: t0 + 9_000 * hourMs, dso: other }))
    expect(find(bob.name)).toBeUndefined()
    expect(take(mirror, setOf([alice]))).toBe('taken')
    mirror.learnHead(t0, ago(clock), ago(clock))
    expect(find(alice.name)).toEqual(alice)
    expect(find(bob.name)).toBeUndefined()
    use(undefined)
    expect(find(alice.name)).toBeUndefined()
  })

  test('without a readable file starts empty, and a file that fails later does not stop answers', async () => {
    const kept = {
      load: () => {
        throw new Error('the disk is gone')
      },
      write: () => Promise.reject(new Error('the disk is gone')),
    }
    const { mirror, find, told } = mirrored({}, { kept })
    mirror.load()
    expect(find(alice.name)).toBeUndefined()
    take(mirror, setOf([alice]))
    await written()
    expect(find(alice.name)).toEqual(alice)
    expect(told).toEqual(['store failed', 'restored', 'store failed'])
    expect(mirror.unkeptBecause).toBe('the disk is gone')
  })

  test('finds what was written when there was room again, a minute after a write that found none', async () => {
    const kept = new Kept()
    const { mirror, clock } = mirrored({}, { kept })
    kept.refuses = true
    take(mirror, setOf([alice]))
    await written()
    expect([mirror.unkeptBecause, kept.content]).toEqual(['the disk is full', undefined])
    kept.refuses = false
    clock.advance(60_000)
    await written()
    expect([mirror.unkeptBecause, kept.content?.set.entries]).toEqual([null, [alice]])
  })

  test('finds nothing that was written after the mirror had ended', async () => {
    const kept = new Kept()
    const { mirror, clock } = mirrored({}, { kept })
    kept.refuses = true
    take(mirror, setOf([alice]))
    await mirror[Symbol.asyncDispose]()
    kept.refuses = false
    clock.advance(60_000)
    await written()
    expect(kept.content).toBeUndefined()
  })
})
