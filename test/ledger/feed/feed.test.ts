import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { follow } from '../../../src/ledger/feed/feed.ts'
import { rendering } from '../../../src/ledger/feed/rendering.ts'
import { type FeedLedger, Tail } from '../../../src/ledger/feed/tail.ts'
import { LedgerUnavailable } from '../../../src/ledger/ledger.ts'
import type { Element } from '../../../src/ledger/update-service.ts'
import { spliceCatalog } from '../../../src/ledger/visibility/catalog.splice.ts'
import type { UpdateFormat } from '../../../src/ledger/visibility/format.ts'
import { updateText } from '../../../src/ledger/wire/responses.ts'
import { eventually } from '../../support/eventually.ts'
import { heapUsed } from '../../support/heap.ts'
import { type OpenLedger, openLedger } from '../embedded/open.ts'

let opened: OpenLedger
let allocated = 0

beforeAll(async () => {
  opened = await openLedger()
})
afterAll(() => opened[Symbol.asyncDispose]())

/** Commits an update that all readers of these tests see. */
async function commit(): Promise<void> {
  const name = `user-${++allocated}`
  await opened.ledger.partyOf(name, name)
}

const topology: UpdateFormat = {
  includeTransactions: undefined,
  includeReassignments: undefined,
  includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties: [] } },
}
const everybody = { readAs: new Set<string>(), readAsAnyParty: true }

interface Asked {
  updates: number
  subscriptions: number
}

/** @param beforeEnd runs before each read of the ledger's end. The read waits for `beforeEnd`. */
function feedOf(asked: Asked = { updates: 0, subscriptions: 0 }, beforeEnd = async () => {}) {
  const { ledger, clock } = opened
  const counted: FeedLedger = {
    end: async () => {
      await beforeEnd()
      return ledger.end()
    },
    checkpoint: () => ledger.checkpoint(),
    updates: (...range) => {
      asked.updates++
      return ledger.updates(...range)
    },
    watch: (told) => ledger.watch(told),
    subscribe: (told) => {
      asked.subscriptions++
      return ledger.subscribe(told)
    },
  }
  const tail = new Tail({ ledger: counted, clock })
  const read = (after: number, signal: AbortSignal) => {
    const render = rendering(topology, everybody, spliceCatalog)
    const deps = { tail, clock, render, checkpointText: updateText, check: async () => {} }
    return follow(after, deps, signal)
  }
  return { tail, read, asked }
}

const isUpdate = ({ text }: Element) => !text.includes('OffsetCheckpoint')

test('a reader gets every update once and in order, wherever it begins and however slowly it reads', async () => {
  const reader = fc.record({
    after: fc.nat({ max: 60 }),
    pause: fc.nat({ max: 3 }),
    wait: fc.nat({ max: 40 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(reader, { minLength: 1, maxLength: 8 }), async (readers) => {
      const { tail, read } = feedOf()
      using _ = tail
      const start = await tail.end()
      const upTo = start + 30
      const reading = readers.map(async ({ after: back, pause, wait }) => {
        for (let turn = 0; turn < wait; turn++) await setImmediate()
        const after = Math.max(0, start - back)
        const stop = new AbortController()
        const offsets: number[] = []
        for await (const elements of read(after, stop.signal)) {
          for (let turn = 0; turn < pause; turn++) await setImmediate()
          offsets.push(...elements.filter(isUpdate).map(({ offset }) => offset))
          if ((offsets.at(-1) ?? 0) >= upTo) stop.abort()
        }
        expect(offsets).toEqual(Array.from({ length: upTo - after }, (_each, index) => after + index + 1))
      })
      for (let count = 0; count < 30; count++) await commit()
      await Promise.all(reading)
    }),
    { numRuns: 15 },
  )
})

test('a reader that fell behind all that is kept reads on from the ledger, and misses nothing', async () => {
  const { tail, read, asked } = feedOf()
  using _ = tail
  const after = await tail.end()
  const stop = new AbortController()
  const stream = read(after, stop.signal)[Symbol.asyncIterator]()
  const offsets: number[] = []
  const take = async () => {
    const { value = [] } = await stream.next()
    offsets.push(...value.filter(isUpdate).map(({ offset }: Element) => offset))
  }
  const first = take()
  await eventually(() => tail.readers === 1)
  await commit()
  await first
  for (let count = 0; count < 700; count++) await commit()
  expect(asked.updates).toBe(0)
  while ((offsets.at(-1) ?? 0) < after + 701) await take()
  expect(asked.updates).toBeGreaterThan(0)
  expect(offsets).toEqual(Array.from({ length: 701 }, (_each, index) => after + index + 1))
  stop.abort()
})

test('when the tail ends, a reader that is still busy ends too, and no timer is left', async () => {
  const { tail, read } = feedOf()
  const before = opened.clock.waiting
  const stream = read(await tail.end(), new AbortController().signal)[Symbol.asyncIterator]()
  const first = stream.next()
  await eventually(() => tail.readers === 1)
  await commit()
  expect((await first).done).toBe(false)
  tail[Symbol.dispose]()
  expect(await stream.next()).toEqual({ done: true, value: undefined })
  expect(tail.readers).toBe(0)
  expect(opened.clock.waiting).toBe(before)
})

test('a reader that enters after the tail has ended ends at once, without a subscription or a timer', async () => {
  const { tail, read, asked } = feedOf()
  const end = await tail.end()
  tail[Symbol.dispose]()
  const before = opened.clock.waiting
  const stop = new AbortController()
  const follower = await tail.enter(stop.signal)
  expect(asked.subscriptions).toBe(0)
  expect(opened.clock.waiting).toBe(before)
  expect(await follower.wait(end, Number.POSITIVE_INFINITY)).toBe('aborted')
  follower[Symbol.dispose]()
  const stream = read(end, stop.signal)[Symbol.asyncIterator]()
  expect(await stream.next()).toEqual({ done: true, value: undefined })
})

test('when the tail ends while a reader enters, no timer is left', async () => {
  const { tail } = feedOf()
  const before = opened.clock.waiting
  const entering = tail.enter(new AbortController().signal)
  tail[Symbol.dispose]()
  using _ = await entering
  expect(opened.clock.waiting).toBe(before)
})

test('a thousand readers share one tail, and a commit is read once', async () => {
  const { tail, read, asked } = feedOf()
  using _ = tail
  const after = await tail.end()
  const stop = new AbortController()
  const got = Array.from({ length: 1_000 }, () => [] as Element[])
  const reading = got.map(async (elements) => {
    for await (const some of read(after, stop.signal)) elements.push(...some.filter(isUpdate))
  })
  await eventually(() => tail.readers === 1_000)
  // When all readers wait, two timers are set: one for the next checkpoint, and one for readers whose idle time ends.
  await eventually(() => opened.clock.waiting === 2)
  for (let count = 0; count < 20; count++) await commit()
  await eventually(() => got.every((elements) => elements.length === 20))
  stop.abort()
  await Promise.all(reading)
  expect(asked).toEqual({ updates: 0, subscriptions: 1 })
  const [first] = got
  for (const elements of got) expect(elements).toEqual(first)
  expect(tail.readers).toBe(0)
})

test('ten thousand streams that are opened and abandoned leave nothing behind', async () => {
  const { tail, read } = feedOf()
  using _ = tail
  const after = await tail.end()
  const abandon = async (count: number) => {
    const stops = Array.from({ length: count }, () => new AbortController())
    const reading = stops.map(async ({ signal }) => {
      for await (const _elements of read(after, signal)) signal.throwIfAborted()
    })
    await eventually(() => tail.readers === count)
    for (const stop of stops) stop.abort()
    await Promise.allSettled(reading)
    expect(tail.readers).toBe(0)
  }
  await abandon(1_000)
  const before = await heapUsed()
  for (let round = 0; round < 10; round++) await abandon(1_000)
  expect((await heapUsed()) - before).toBeLessThan(4 * 1024 * 1024)
})

test('a ledger whose end cannot be read at first serves readers as soon as it can be read', async () => {
  const faults = fc.array(fc.constantFrom('before the answer', 'at once'), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(faults, fc.integer({ min: 1, max: 3 }), async (failures, callers) => {
      const left = [...failures]
      const { tail, read } = feedOf(undefined, async () => {
        const fault = left.shift()
        if (fault === 'before the answer') await setImmediate()
        if (fault !== undefined) throw new LedgerUnavailable('The ledger cannot read its file.')
      })
      using _ = tail
      const end = await opened.ledger.end()
      for (let tries = 0; left.length > 0 || tries === 0; tries++)
        await Promise.allSettled(Array.from({ length: callers }, () => tail.end()))
      expect(await tail.end()).toBe(end)
      const stop = new AbortController()
      await commit()
      for await (const elements of read(end, stop.signal)) {
        expect(elements.find(isUpdate)?.offset).toBe(end + 1)
        stop.abort()
      }
    }),
  )
})

test('a reader that waits while the end of the ledger is not known gets the updates once it is', async () => {
  const known = Promise.withResolvers<void>()
  const { tail, read } = feedOf(undefined, () => known.promise)
  using _ = tail
  const end = await opened.ledger.end()
  const stop = new AbortController()
  const first = read(end - 1, stop.signal)
    [Symbol.asyncIterator]()
    .next()
  await eventually(() => tail.readers === 1)
  known.resolve()
  expect((await first).value?.find(isUpdate)?.offset).toBe(end)
  stop.abort()
})
