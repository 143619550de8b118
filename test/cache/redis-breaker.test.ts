import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { parseRedisUrl, type RedisTarget } from '../../src/base/lib/redis-url.ts'
import { RedisBreaker } from '../../src/core/cache/redis-breaker.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { onLoopback } from '../support/on-loopback.ts'

const info = '$34\r\nredis_version:7.0.0\r\nrole:master\r\n\r\n'

/**
 * Starts a server that answers `INFO` as Redis does, and other commands as `answers` says. A command that `answers`
 * lacks gets no reply. `answered` is called after each reply to these other commands.
 */
async function serve(answers: Readonly<Record<string, string>>, answered = () => {}) {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      for (const [, name = ''] of bytes.toString('latin1').matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) {
        const reply = name.toLowerCase() === 'info' ? info : answers[name]
        if (reply !== undefined) socket.write(reply)
        if (name in answers) answered()
      }
    })
  })
  const { port, ...listening } = await onLoopback(server)
  return { target: parseRedisUrl(`redis://127.0.0.1:${port}`), ...listening }
}

/** Opens a breaker, and resolves when it has told whether Redis is up. */
async function connected(target: RedisTarget) {
  const clock = new ManualClock()
  const told: unknown[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const up = (...args: readonly unknown[]) => {
    told.push(args)
    resolve()
  }
  const link = new RedisBreaker(target, { clock, random: () => 0.5, up })
  await promise
  return { clock, told, link, [Symbol.asyncDispose]: () => link[Symbol.asyncDispose]() }
}

test('a Redis that was late is asked again once it refuses a ping', async () => {
  // `:1` is the reply to the late command. It arrives just before the reply to the ping.
  using server = await serve({ ping: ':1\r\n-NOPERM no\r\n' })
  await using open = await connected(server.target)
  const { clock, told, link } = open
  const late = link.attempt((client) => client.pttl('k'))
  clock.advance(50)
  expect(await late).toEqual({ kind: 'late' })
  expect(await link.attempt((client) => client.pttl('k'))).toEqual({ kind: 'unsent' })
  clock.advance(75)
  await eventually(() => told.length === 3)
  expect(told).toEqual([[true], [false, { because: 'Redis gave no answer within 50 ms' }], [true]])
})

test('a reply that came in time is taken, even if a busy process reads it late', async () => {
  let answered = () => {}
  using server = await serve({ pttl: ':7\r\n' }, () => answered())
  await using open = await connected(server.target)
  answered = () => {
    setTimeout(() => open.clock.advance(50), 1)
    const busyUntil = performance.now() + 5
    while (performance.now() < busyUntil);
  }
  expect(await open.link.attempt((client) => client.pttl('k'))).toEqual({ kind: 'reply', value: 7 })
})

test('a Redis that was late for many at once is asked again once', async () => {
  using server = await serve({})
  await using open = await connected(server.target)
  const late = [1, 2, 3].map(() => open.link.attempt((client) => client.pttl('k')))
  open.clock.advance(50)
  expect(await Promise.all(late)).toEqual(late.map(() => ({ kind: 'late' })))
  expect(open.clock.waiting).toBe(1)
})

test.each([
  ['lacks the database of its URL', 'ERR DB index is out of range'],
  ['does not permit its user to select the database of its URL', 'NOPERM no permission'],
])('a Redis that %s is down, and gets no command', async (_, error) => {
  using server = await serve({ select: `-${error}\r\n` })
  await using open = await connected({ ...server.target, db: 99 } as RedisTarget)
  expect(open.told[0]).toEqual([false, { because: error }])
  expect(await open.link.attempt((client) => client.pttl('k'))).toEqual({ kind: 'unsent' })
})
