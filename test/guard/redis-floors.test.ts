import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemRandom } from '../../src/base/lib/random.ts'
import { RedisFloors } from '../../src/core/guard/floors.redis.ts'
import { type FloorId, FloorTable } from '../../src/core/guard/floors.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { type SharedRedis, sharedRedis } from '../support/redis.ts'

let redis: SharedRedis
let opened = 0
// The clock never moves, so no command to Redis is late.
const clock = new ManualClock()
beforeAll(async () => {
  redis = await sharedRedis()
})
afterAll(() => redis[Symbol.asyncDispose]())

const id: FloorId = { text: 'alice.unverified.cns', isOfUnboundedRead: false }
const floor = (version: string, endsAt?: number) => ({ version, endsAt })

const events = { redisFailed: () => {}, redisSucceeded: () => {} }

function open(prefix: string, secret?: string): RedisFloors {
  const own = FloorTable.inMemory({ clock })
  return new RedisFloors({ url: redis.url, prefix, secret }, { clock, random: systemRandom, own, events })
}

let probes = 0

/** Each probe is a question of its own: floors of one secret have one key for it, whatever their prefix. */
async function connected(floors: RedisFloors): Promise<void> {
  const probe = { text: `probe ${probes++}`, isOfUnboundedRead: false }
  await eventually(async () => {
    await floors.find({ text: 'connected', isOfUnboundedRead: false })
    return floors.keysOf(id).length === 2 && (await stored('')).length >= 0
  })
  await eventually(async () => {
    await floors.raise(probe, floor('1'))
    return (await redis.client.exists(...(await keysIn(floors, probe.text)))) === 1
  })
}

const stored = (prefix: string) => redis.client.keys(`bft:${redis.prefix}${prefix}*`)

async function keysIn(floors: RedisFloors, text: string): Promise<[string]> {
  const [, key = ''] = floors.keysOf({ text, isOfUnboundedRead: false })
  const found = (await stored('')).find((name) => name.endsWith(key))
  return [found ?? 'none']
}

test.each([['without a secret'], ['with a secret', 'a secret']])(
  'two daemons %s have one floor, which only rises',
  async (_, secret?: string) => {
    const prefix = `${redis.prefix}-${opened++}`
    await using first = open(prefix, secret)
    await using second = open(prefix, secret)
    await connected(first)
    await connected(second)
    expect(first.keysOf(id)[1]).toBe(second.keysOf(id)[1])
    expect(await first.raise(id, floor('2'))).toEqual(floor('2'))
    expect(await second.find(id)).toEqual(floor('2'))
    expect(await second.raise(id, floor('1'))).toEqual(floor('2'))
    expect(await second.raise(id, floor('3', clock.wall() + 3_600_000))).toMatchObject({ version: '3' })
    expect(await first.raise(id, floor('2'))).toMatchObject({ version: '3' })
    expect((await stored('')).join()).not.toContain('alice')
  },
)

test('a floor that was set with another secret is not used', async () => {
  const prefix = `${redis.prefix}-${opened++}`
  await using first = open(prefix, 'one')
  await connected(first)
  await first.raise(id, floor('2'))
  const [key] = await keysIn(first, id.text)
  await redis.client.set(key, '9 - made-up')
  await using second = open(prefix, 'one')
  await connected(second)
  expect(await second.find(id)).toBeUndefined()
  expect(await second.raise(id, floor('1'))).toEqual(floor('1'))
})

test('a floor in the last minute before its end gives way to another, for all daemons', async () => {
  const prefix = `${redis.prefix}-${opened++}`
  await using first = open(prefix)
  await using second = open(prefix)
  await connected(first)
  await connected(second)
  await first.raise(id, floor('3', clock.wall() + 30_000))
  expect(await first.raise(id, floor('2'))).toEqual(floor('2'))
  expect(await second.find(id)).toEqual(floor('2'))
})

test('a floor is ended for all daemons, by its question and by its key', async () => {
  const prefix = `${redis.prefix}-${opened++}`
  await using first = open(prefix)
  await using second = open(prefix)
  await connected(first)
  await connected(second)
  await first.raise(id, floor('2'))
  await first.end(id)
  expect(await second.find(id)).toBeUndefined()
  await first.raise(id, floor('2'))
  const [, key = ''] = first.keysOf(id)
  expect([await second.endKey(key), await second.endKey(key)]).toEqual([true, false])
})

test('without Redis, a daemon has the floors of its own', async () => {
  const own = FloorTable.inMemory({ clock })
  const options = { url: 'redis://127.0.0.1:1', prefix: redis.prefix }
  await using floors = new RedisFloors(options, {
    clock,
    random: systemRandom,
    own,
    events,
  })
  expect(await floors.raise(id, floor('2'))).toEqual(floor('2'))
  expect(await floors.raise(id, floor('1'))).toEqual(floor('2'))
  expect(await floors.find(id)).toEqual(floor('2'))
})

test.each(['9999 - open', `9999 - ${'A'.repeat(42)}é`, '9 abc x'])(
  'a text that somebody put in place of a floor, such as %s, counts for nothing',
  async (text) => {
    const suffix = `-${opened++}`
    await using floors = open(redis.prefix + suffix, 'a secret')
    await connected(floors)
    await floors.raise(id, floor('1'))
    const [, own = ''] = floors.keysOf(id)
    const [key = ''] = (await stored(`${suffix}:`)).filter((name) => name.endsWith(own))
    await redis.client.set(key, text)
    expect(await floors.find(id)).toEqual(floor('1'))
    expect(await floors.raise(id, floor('2'))).toEqual(floor('2'))
    expect(await floors.raise(id, floor('3'))).toEqual(floor('3'))
    expect(await redis.client.get(key)).toMatch(/^3 - /)
  },
)
