import { afterAll, describe, expect, test } from 'vitest'
import type { Clock } from '../../src/base/lib/clock.ts'
import { parseRedisUrl } from '../../src/base/lib/redis-url.ts'
import { type Invalidation, InvalidationStream } from '../../src/core/cache/invalidation-stream.ts'
import { sharedRedis } from '../support/redis.ts'

const redis = await sharedRedis()
afterAll(() => redis[Symbol.asyncDispose]())

class Told<T> {
  readonly #told: T[] = []
  #waiting: ((value: T) => void) | undefined

  add(value: T): void {
    if (this.#waiting === undefined) this.#told.push(value)
    else this.#waiting(value)
    this.#waiting = undefined
  }

  next(): Promise<T> {
    const [first] = this.#told.splice(0, 1)
    return first === undefined ? new Promise((resolve) => (this.#waiting = resolve)) : Promise.resolve(first)
  }
}

interface Pause {
  readonly ms: number
  readonly end: () => void
  isCancelled: boolean
}

function open(key = `bft:${redis.newPrefix()}:raises`) {
  const pauses = new Told<Pause>()
  const heard = new Told<[Invalidation, string]>()
  const follows = new Told<boolean>()
  const missed = new Told<string>()
  const after: Clock['after'] = (ms, end) => {
    const pause: Pause = { ms, end, isCancelled: false }
    pauses.add(pause)
    return () => {
      pause.isCancelled = true
    }
  }
  const stream = new InvalidationStream(
    key,
    parseRedisUrl(redis.url),
    {
      clock: { now: () => 0, wall: () => 0, after },
      random: () => 0.5,
      heard: (invalidation, position) => heard.add([invalidation, position]),
      missed: (position) => missed.add(position),
      follows: (now) => follows.add(now),
    },
    () => {},
  )
  return {
    key,
    stream,
    pauses,
    heard,
    follows,
    missed,
    [Symbol.asyncDispose]: () => stream[Symbol.asyncDispose](),
  }
}

describe('a stream of invalidations whose key holds something else', () => {
  test('is said not to be followed, is tried again after pauses that double up to 5 s, and is followed once it can be', async () => {
    const key = `bft:${redis.newPrefix()}:raises`
    await redis.client.set(key, 'no stream')
    await using opening = open(key)
    const waited: number[] = []
    for (let tries = 0; tries < 9; tries++) {
      const pause = await opening.pauses.next()
      waited.push(pause.ms)
      if (tries === 8) await redis.client.del(key)
      pause.end()
    }
    expect(waited).toEqual([75, 150, 300, 600, 1_200, 2_400, 3_750, 3_750, 3_750])
    expect([await opening.follows.next(), await opening.follows.next()]).toEqual([false, true])
    await opening.stream.add({ topics: ['a'], origin: 'o', upTo: 3 })
    const [invalidation] = await opening.heard.next()
    expect(invalidation).toEqual({ topics: ['a'], origin: 'o', upTo: 3 })
  })

  test('is left at once when it is closed during a pause', async () => {
    const key = `bft:${redis.newPrefix()}:raises`
    await redis.client.set(key, 'no stream')
    const opening = open(key)
    const pause = await opening.pauses.next()
    expect(pause.isCancelled).toBe(false)
    await opening.stream[Symbol.asyncDispose]()
    expect(pause.isCancelled).toBe(true)
  })
})
