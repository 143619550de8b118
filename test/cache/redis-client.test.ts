import type { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { parseRedisUrl } from '../../src/base/lib/redis-url.ts'
import { openRedis, type RedisClientOptions } from '../../src/core/cache/redis-client.ts'
import { freePort } from '../support/free-port.ts'

/** The Redis need not run, because the tests look only at the client's options. */
function open(url: string, options?: RedisClientOptions, random = () => 0.5) {
  const client = openRedis(parseRedisUrl(url), random, options)
  return {
    client,
    [Symbol.dispose]: () => client.disconnect(),
  }
}

const pauses = [1, 2, 3, 4, 5, 6, 7, 100]
/**
 * The pause before each attempt, in milliseconds, for `random() = 0.5`: half of a time that doubles from 200 ms up to 5
 * s.
 */
const half = [100, 200, 400, 800, 1_600, 2_500, 2_500, 2_500]

describe('a client of one Redis', () => {
  test('connects again after pauses that double up to 5 s, by half at random', async () => {
    const url = `redis://127.0.0.1:${await freePort()}`
    const pausesWith = (random: number) => {
      using one = open(url, {}, () => random)
      const { retryStrategy } = (one.client as Redis).options
      return pauses.map((times) => retryStrategy?.(times))
    }
    expect(pausesWith(0)).toEqual(half)
    expect(pausesWith(0.5)).toEqual(half.map((ms) => 1.5 * ms))
  })

  test('leaves a master that has become a replica, but not at once again, and stays for every other error', async () => {
    let left = 0
    using one = open(`redis://127.0.0.1:${await freePort()}`, { leaving: () => left++ })
    const { reconnectOnError } = (one.client as Redis).options
    const readOnly = new Error("READONLY You can't write against a read only replica.")
    expect(reconnectOnError?.(new Error('ERR not READONLY'))).toBe(false)
    expect(reconnectOnError?.(readOnly)).toBe(true)
    expect(reconnectOnError?.(readOnly)).toBe(false)
    expect(left).toBe(1)
  })
})
