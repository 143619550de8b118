import { describe, expect, test } from 'vitest'
import { ChangeFeed } from '../../src/mirror/change-feed.ts'
import { ChangeStreams, type Listening } from '../../src/mirror/change-streams.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { added, changeAt, timeOf } from './changes.ts'
import { eventIn, type HeardEvent } from './event-reader.ts'
import { entryOf, hourMs, setOf, t0 } from './mirrored.ts'

const alice = entryOf('alice.unverified.cns')
const bob = entryOf('bob.unverified.cns')

function started(most?: number) {
  const clock = new ManualClock()
  const feed = new ChangeFeed(most)
  const level: { why: string | undefined } = { why: undefined }
  const streams = new ChangeStreams({ clock, feed, paused: () => level.why })
  feed.take(setOf([]))
  feed.follow([], timeOf(1))
  return { clock, feed, level, streams }
}

function readerOf(listening: Listening) {
  if (listening.kind !== 'stream') throw new Error(listening.kind)
  const source = listening.stream.getReader()
  const text = async () => Buffer.from((await source.read()).value ?? []).toString()
  return {
    text,
    events: async () => (await text()).split('\n\n').flatMap((block) => eventIn(block) ?? []),
    cancel: () => source.cancel(),
    isDone: async () => (await source.read()).done,
  }
}

function idsOf(events: readonly HeardEvent[]): readonly (string | undefined)[] {
  return events.map(({ id }) => id)
}

describe('a reader of the changes', () => {
  test('gets the place of the feed, and then every change with its id', async () => {
    const { streams, feed } = started()
    const reader = readerOf(streams.listen(undefined, 'a'))
    expect(await reader.text()).toBe(
      `retry: 2000\n\nevent: reached\nid: ${timeOf(1)}\ndata: {"recordTime":"${timeOf(1)}"}\n\n`,
    )
    const to = { ...bob, contract_id: 'ff', expires_at: '2026-07-01T00:00:00Z' }
    feed.follow([changeAt(2, { added: [alice], renewed: [{ from: bob, to }] })], timeOf(3))
    expect(await reader.events()).toEqual([
      {
        event: 'renewed',
        id: `${timeOf(2)}/1`,
        data: {
          recordTime: timeOf(2),
          name: bob.name,
          user: bob.user,
          url: bob.url,
          description: bob.description,
          contractId: 'ff',
          expiresAt: '2026-07-01T00:00:00Z',
          was: { contractId: bob.contract_id, expiresAt: bob.expires_at },
        },
      },
      {
        event: 'created',
        id: timeOf(2),
        data: {
          recordTime: timeOf(2),
          name: alice.name,
          user: alice.user,
          url: alice.url,
          description: alice.description,
          contractId: alice.contract_id,
          expiresAt: alice.expires_at,
        },
      },
    ])
  })

  test('gets the place of the feed every five seconds, unless something changes', async () => {
    const { streams, feed, clock } = started()
    const reader = readerOf(streams.listen(undefined, 'a'))
    await reader.text()
    clock.advance(4_000)
    feed.follow([added(2, alice)], timeOf(2))
    expect(idsOf(await reader.events())).toEqual([timeOf(2)])
    clock.advance(5_999)
    feed.follow([], timeOf(9))
    clock.advance(1)
    expect(await reader.events()).toMatchObject([{ event: 'reached', id: timeOf(9) }])
    clock.advance(5_000)
    expect(await reader.events()).toMatchObject([{ event: 'reached', id: timeOf(9) }])
  })

  test('that is further than the feed hears nothing until the feed is there', async () => {
    const { streams, feed, clock } = started()
    const reader = readerOf(streams.listen(timeOf(10), 'a'))
    expect(await reader.text()).toBe('retry: 2000\n\n: not there yet\n\n')
    feed.follow([added(9, alice), added(10, alice)], timeOf(10))
    clock.advance(10_000)
    expect(await reader.events()).toMatchObject([{ event: 'reached', id: timeOf(10) }])
    feed.follow([added(11, bob)], timeOf(11))
    expect(idsOf(await reader.events())).toEqual([timeOf(11)])
  })

  test('gets a hundred changes at a time, the next ones when it has taken those', async () => {
    const { streams, feed } = started()
    const many = Array.from({ length: 250 }, (_, index) => added(2 + index, alice))
    feed.follow(many, timeOf(300))
    const reader = readerOf(streams.listen(timeOf(1), 'a'))
    const portions = [await reader.events(), await reader.events(), await reader.events()]
    expect(portions.map(({ length }) => length)).toEqual([100, 100, 50])
    expect(idsOf(portions.flat())).toEqual(many.map(({ at }) => at))
  })

  test('is cut when changes that it has not taken are not kept any more', async () => {
    const { streams, feed } = started(3)
    const reader = readerOf(streams.listen(undefined, 'a'))
    for (let second = 2; second <= 9; second++) feed.follow([added(second, alice)], timeOf(second))
    expect(await reader.events()).toMatchObject([{ event: 'reached' }])
    const why = `The feed has all changes after ${timeOf(6)}, but not all after ${timeOf(1)}.`
    expect(await reader.events()).toEqual([{ event: 'interrupted', id: undefined, data: { reason: why } }])
    expect(await reader.isDone()).toBe(true)
    expect(streams.listeners).toBe(0)
  })

  test('is disconnected when the feed restarts, with the place from which it continues', async () => {
    const { streams, feed } = started()
    const reader = readerOf(streams.listen(undefined, 'a'))
    await reader.text()
    feed.take(setOf([], { at: t0 + 3 * hourMs }))
    expect(await reader.events()).toMatchObject([{ event: 'interrupted' }])
    expect(await reader.isDone()).toBe(true)
    expect(streams.listen(timeOf(1), 'a')).toEqual({ kind: 'not-kept', since: '2026-01-01T02:59:59.999999Z' })
  })

  test('that leaves is forgotten, and without readers no timer waits', async () => {
    const { streams, clock } = started()
    expect(clock.waiting).toBe(0)
    const [one, other] = [readerOf(streams.listen(undefined, 'a')), readerOf(streams.listen(undefined, 'a'))]
    expect([streams.listeners, clock.waiting]).toEqual([2, 1])
    await one.cancel()
    clock.advance(60_000)
    expect([streams.listeners, clock.waiting]).toEqual([1, 1])
    await other.cancel()
    expect([streams.listeners, clock.waiting]).toEqual([0, 0])
  })
})

describe('there is no stream', () => {
  test('but for one of another client, for which a reader of the client with most readers is ended', async () => {
    const { streams } = started()
    const readers = Array.from({ length: 100 }, () => readerOf(streams.listen(undefined, 'a')))
    for (let other = 0; other < 50; other++) expect(streams.listen(undefined, 'b').kind).toBe('stream')
    expect(streams.listen(undefined, 'b')).toEqual({ kind: 'full' })
    expect(streams.listen(undefined, 'a')).toEqual({ kind: 'full' })
    const ended = await readers[99]?.text()
    expect(ended).toContain('reached')
    expect(await readers[99]?.text()).toContain('this client has most of them')
    expect(await readers[99]?.isDone()).toBe(true)
    expect(streams.listeners).toBe(100)
  })
})
