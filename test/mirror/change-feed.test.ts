import { describe, expect, test } from 'vitest'
import { ChangeFeed, type FedChange, isLaterPlace, placeIn, placeText } from '../../src/mirror/change-feed.ts'
import { continuityOf } from '../../src/mirror/continuity.ts'
import { changeAt, timeOf } from './changes.ts'
import { entryOf, hourMs, setOf, t0 } from './mirrored.ts'

const all = 1_000_000
const alice = entryOf('alice.unverified.cns')
const beforeSet = '2025-12-31T23:59:59.999999Z'

function ids(changes: readonly FedChange[] | undefined): readonly string[] | undefined {
  return changes?.map(({ place }) => placeText(place))
}

function changesAfter(feed: ChangeFeed, id: string) {
  const place = placeIn(id)
  if (place === undefined) throw new Error(`${id} is no place`)
  return feed.after(place, all)
}

describe('a place in the feed', () => {
  test.each([
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['2026-01-01T00:00:00.500000Z', '2026-01-01T00:00:00.5Z'],
    ['2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00Z'],
    ['2026-01-01T00:00:00.50Z/12', '2026-01-01T00:00:00.5Z/12'],
  ])('%s is read as %s', (text, canonical) => {
    expect(placeText(placeIn(text) ?? { at: '', count: 0 })).toBe(canonical)
  })

  test.each([
    '',
    'now',
    '1795316400',
    '2026-02-30T00:00:00Z',
    '2026-01-01',
    '2026-01-01T00:00:00Z/',
    '2026-01-01T00:00:00Z/0',
    '2026-01-01T00:00:00Z/-1',
    '2026-01-01T00:00:00Z/1/1',
    '2026-01-01T00:00:00Z/1234567',
    `2026-01-01T00:00:00Z${' '.repeat(100)}`,
  ])('%j is none', (text) => {
    expect(placeIn(text)).toBeUndefined()
  })

  test('comes after the first changes of an update, and before the end of that update', () => {
    const order = [
      '2026-01-01T00:00:00Z',
      '2026-01-01T00:00:00.000001Z/1',
      '2026-01-01T00:00:00.000001Z/10',
      '2026-01-01T00:00:00.000001Z',
      '2026-01-01T00:00:00.00001Z/1',
    ]
    const places = order.map((text) => placeIn(text) ?? { at: '', count: 0 })
    for (const [index, place] of places.entries())
      expect(places.map((other) => isLaterPlace(place, other))).toEqual(
        order.map((_, other) => other < index),
      )
  })
})

describe('the feed', () => {
  test('has the changes of an update in an order of its own, each with the place that follows it', () => {
    const feed = new ChangeFeed()
    feed.take(setOf([]))
    const [from, to] = [entryOf('a'), entryOf('a', { expires_at: '2026-07-01T00:00:00Z' })]
    const [c, d, e] = [entryOf('c'), entryOf('d'), entryOf('e')]
    const change = { added: [e, d], renewed: [{ from, to }], expired: [c], withdrawn: [alice] }
    feed.follow([changeAt(1, change)], timeOf(1))
    const changes = changesAfter(feed, beforeSet)
    expect(changes?.map(({ kind, entry }) => [kind, entry.name])).toEqual([
      ['withdrawn', alice.name],
      ['expired', 'c'],
      ['renewed', 'a'],
      ['created', 'd'],
      ['created', 'e'],
    ])
    expect(ids(changes)).toEqual([...[1, 2, 3, 4].map((count) => `${timeOf(1)}/${count}`), timeOf(1)])
    expect(ids(changesAfter(feed, `${timeOf(1)}/4`))).toEqual([timeOf(1)])
    expect(ids(changesAfter(feed, `${timeOf(1)}/5`))).toEqual([timeOf(1)])
    expect(ids(changesAfter(feed, timeOf(1)))).toEqual([])
  })

  test('does not repeat to a reader that was further than it the differences of a set', () => {
    const feed = new ChangeFeed()
    const bob = entryOf('bob.unverified.cns')
    feed.take(setOf([alice]))
    feed.follow([], timeOf(60))
    expect(changesAfter(feed, timeOf(120))).toEqual([])
    feed.take(
      setOf([alice, bob], { at: t0 + 3 * hourMs }),
      continuityOf([alice], [alice, bob], t0 + 3 * hourMs),
    )
    expect(ids(changesAfter(feed, timeOf(60)))).toHaveLength(1)
    expect(changesAfter(feed, timeOf(120))).toBeUndefined()
    expect(changesAfter(feed, timeOf(3 * 3_600))).toEqual([])
  })
})
