import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { RedisBreaker } from '../../src/cache/redis-breaker.ts'
import { parseRedisUrl, type RedisTarget } from '../../src/cache/redis-url.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { bulk } from './resp.ts'

/**
 * Starts a server that answers `INFO` as Redis does, and other commands as `answers` says. A command that `answers`
 * lacks gets no reply. `answered` is called after each reply to these other commands.
 */
async function serve(answers: Readonly<Record<string, string>>, answered = () => {}) {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      for (const [, name = ''] of bytes.toString('latin1').matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) {
        const reply =
          name.toLowerCase() === 'info' ? bulk('redis_version:7.0.0\r\nrole:master\r\n') : answers[name]
        if (reply !== undefined) socket.write(reply)
        if (name in answers) answered()
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return {
    target: parseRedisUrl(`redis://127.0.0.1:${address.port}`),
    [Symbol.dispose]: () => {
      server.close()
    },
  }
}

function connectionStates() {
  const waiting: ((up: boolean) => void)[] = []
  return {
    up: (up: boolean) => waiting.shift()?.(up),
    next: () => new Promise<boolean>((resolve) => waiting.push(resolve)),
  }
}

test.each([
  ['answers a ping', '+PONG\r\n'],
  ['refuses a ping', '-NOPERM no\r\n'],
])('a Redis that was late is asked again once it %s', async (_, ping) => {
  // `:1` is the reply to the late command. It arrives just before the reply to the ping.
  using server = await serve({ ping: `:1\r\n${ping}` })
  const clock = new ManualClock()
  const { up, next } = connectionStates()
  const first = next()
  await using link = new RedisBreaker(server.target, { clock, random: () => 0.5, up })
  expect(await first).toBe(true)
  const down = next()
  const late = link.attempt((client) => client.pttl('k'))
  clock.advance(50)
  expect(await late).toEqual({ kind: 'late' })
  expect(await down).toBe(false)
  expect(await link.attempt((client) => client.pttl('k'))).toEqual({ kind: 'unsent' })
  const back = next()
  clock.advance(75)
  expect(await back).toBe(true)
})

test('a reply that came in time is taken, even if a busy process reads it late', async () => {
  const clock = new ManualClock()
  using server = await serve({ pttl: ':7\r\n' }, () => {
    setTimeout(() => clock.advance(50), 1)
    const busyUntil = performance.now() + 5
    while (performance.now() < busyUntil);
  })
  const { up, next } = connectionStates()
  const first = next()
  await using link = new RedisBreaker(server.target, { clock, random: () => 0.5, up })
  await first
  expect(await link.attempt((client) => client.pttl('k'))).toEqual({ kind: 'reply', value: 7 })
})

test('the reason is given where Redis was late', async () => {
  using server = await serve({})
  const clock = new ManualClock()
  const told: unknown[] = []
  const { promise: first, resolve } = Promise.withResolvers<void>()
  const up = (...args: readonly unknown[]) => {
    told.push(args)
    resolve()
  }
  await using link = new RedisBreaker(server.target, { clock, random: () => 0.5, up })
  await first
  const late = link.attempt((client) => client.pttl('k'))
  clock.advance(50)
  await late
  expect(told).toEqual([[true], [false, { because: 'Redis gave no answer within 50 ms' }]])
})

test('a Redis that was late for many at once is asked again once', async () => {
  using server = await serve({})
  const clock = new ManualClock()
  const { up, next } = connectionStates()
  const first = next()
  await using link = new RedisBreaker(server.target, { clock, random: () => 0.5, up })
  await first
  const late = [1, 2, 3].map(() => link.attempt((client) => client.pttl('k')))
  clock.advance(50)
  expect(await Promise.all(late)).toEqual(late.map(() => ({ kind: 'late' })))
  expect(clock.waiting).toBe(1)
})

test('a command that Redis refuses says why, and leaves the link open', async () => {
  using server = await serve({ pttl: '-ERR no\r\n' })
  const { up, next } = connectionStates()
  const first = next()
  await using link = new RedisBreaker(server.target, {
    clock: new ManualClock(),
    random: () => 0.5,
    up,
  })
  await first
  const attempt = { kind: 'refused', message: 'ERR no' }
  for (let tries = 0; tries < 2; tries++) {
    expect(await link.attempt((client) => client.pttl('k'))).toEqual(attempt)
  }
})

test.each([
  ['lacks the database of its URL', 'ERR DB index is out of range'],
  ['does not permit its user to select the database of its URL', 'NOPERM no permission'],
])('a Redis that %s is down, and gets no command', async (_, error) => {
  using server = await serve({ select: `-${error}\r\n` })
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const target = { ...server.target, db: 99 } as RedisTarget
  await using link = new RedisBreaker(target, {
    clock: new ManualClock(),
    random: () => 0.5,
    up: (...told) => resolve(told),
  })
  expect(await promise).toEqual([false, { because: error }])
  expect(await link.attempt((client) => client.pttl('k'))).toEqual({ kind: 'unsent' })
})

test('an attempt whose connection is lost is broken', async () => {
  using server = await serve({})
  const { up, next } = connectionStates()
  const first = next()
  await using link = new RedisBreaker(server.target, {
    clock: new ManualClock(),
    random: () => 0.5,
    up,
  })
  await first
  const down = next()
  const lost = await link.attempt((client) => {
    const sent = client.pttl('k')
    client.disconnect()
    return sent
  })
  expect(lost).toEqual({ kind: 'broken' })
  expect(await down).toBe(false)
})
