import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { RedisInvalidations } from '../../src/cache/invalidations.redis.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { type OpenRedis, openRedisStore, random } from './open.ts'
import { Recorder } from './recorder.ts'
import { bulk, list, nonsense, type Reply, replies } from './resp.ts'
import { answerOf, keyOf, rememberedOf } from './samples.ts'

const written = [vi.spyOn(console, 'error'), vi.spyOn(console, 'warn')]
afterEach(() => {
  for (const spy of written) expect(spy).not.toHaveBeenCalled()
})

/** The words of the command are in lower case. Undefined stands for the reply in `usual`. */
type Script = (words: readonly string[], socket: Socket) => Reply | Buffer | undefined

interface Scripted extends AsyncDisposable {
  readonly port: number
}

const usual: Readonly<Record<string, Reply>> = {
  info: bulk('redis_version:7.0.0\r\nrole:master\r\n'),
  ping: '+PONG\r\n',
  pttl: ':60000\r\n',
  getrange: '$0\r\n\r\n',
  unlink: ':1\r\n',
  xadd: bulk('1-0'),
  xlen: ':0\r\n',
  xrange: '*0\r\n',
  xrevrange: '*0\r\n',
  sentinel: list(bulk('127.0.0.1'), bulk('1')),
}

/**
 * Sends a lie in reply to the next command that `lieTo` names, and closes the connection. `lieTo` resolves when the
 * client has closed the connection too.
 */
class Liar {
  #command = ''
  #lie = ''
  #told: (() => void) | undefined

  lieTo(command: string, lie: Reply): Promise<void> {
    this.#command = command
    this.#lie = lie
    return new Promise((told) => {
      this.#told = told
    })
  }

  readonly script: Script = ([name], socket) => {
    if (name !== this.#command) return undefined
    const told = this.#told
    socket.once('close', () => told?.())
    socket.end(this.#lie, 'latin1')
    return Buffer.alloc(0)
  }
}

async function serve(script: Script): Promise<Scripted> {
  const sockets = new Set<Socket>()
  const net = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.on('data', (data: Buffer) => {
      for (const words of commandsIn(data)) {
        if (socket.writableEnded) return
        const reply = script(words, socket) ?? usual[words[0] as string]
        if (words[0] === 'xread' && reply === undefined) continue
        if (!socket.writableEnded) socket.write(reply ?? '+OK\r\n', 'latin1')
      }
    })
  })
  net.listen(0, '127.0.0.1')
  await once(net, 'listening')
  return {
    port: (net.address() as { port: number }).port,
    async [Symbol.asyncDispose]() {
      net.close()
      for (const socket of sockets) socket.destroy()
      await once(net, 'close')
    },
  }
}

/** The commands of these tests are short, so a chunk of bytes contains only whole commands. */
function commandsIn(data: Buffer): string[][] {
  const lines = data.toString('latin1').split('\r\n')
  const commands: string[][] = []
  for (let at = 0; at < lines.length - 1; ) {
    const count = Number((lines[at] as string).slice(1))
    const words = Array.from({ length: count }, (_, word) => (lines[at + 2 + 2 * word] ?? '').toLowerCase())
    commands.push(words)
    at += 1 + 2 * count
  }
  return commands
}

const alice = rememberedOf(answerOf('alice'))
const everyReply = fc.oneof(replies, nonsense)

describe('a Redis that sends a reply which its command cannot have', () => {
  test.each(['pttl', 'getrange'])(
    'to %s is a miss, and counted as an error or refused',
    async (lie) => {
      let reply: Reply = ''
      await using server = await serve(([name]) => (name === lie ? reply : undefined))
      await fc.assert(
        fc.asyncProperty(everyReply, async (said) => {
          reply = said
          await using open = openRedisStore({ url: `redis://127.0.0.1:${server.port}` }, systemClock)
          await open.events.next('redisUp', true)
          expect(await open.store.get(keyOf('alice'))).toBeUndefined()
          expect(open.events.count('cacheLookup', 'redis')).toBe(1)
        }),
        { numRuns: 60 },
      )
    },
    60_000,
  )

  test('in integers alone is a miss that counts as an error, and the log says why', async () => {
    await using server = await serve(([name]) => (name === 'info' ? undefined : ':7\r\n'))
    await using open = openRedisStore({ url: `redis://127.0.0.1:${server.port}` }, systemClock)
    await open.events.next('redisUp', true)
    const down = open.events.next('redisUp', false)
    expect(await open.store.get(keyOf('alice'))).toBeUndefined()
    await down
    expect(open.events.count('cacheLookup', 'redis', 'error')).toBe(1)
    expect(open.events.told).toContainEqual([
      'redisUp',
      false,
      { because: 'Redis answered getrange with the integer 7' },
    ])
  })

  test('to a write or a handshake fails no read', async () => {
    const liar = new Liar()
    await using server = await serve(liar.script)
    const url = `redis://:secret@127.0.0.1:${server.port}/2`
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('auth', 'select', 'info'), everyReply, async (command, lie) => {
        const told = liar.lieTo(command, lie)
        await using open = openRedisStore({ url }, systemClock)
        await told
        await expectMiss(open)
      }),
      { numRuns: 60 },
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('set', 'unlink'), everyReply, async (command, lie) => {
        const told = liar.lieTo(command, lie)
        await using open = openRedisStore({ url }, systemClock)
        await open.events.next('redisUp', true)
        // Sends only one command, because after the lie the client may take Redis for down and send no second command.
        if (command === 'set') await open.store.set(keyOf('alice'), alice)
        else await open.store.delete(keyOf('alice'))
        await told
        await expectMiss(open)
      }),
      { numRuns: 60 },
    )
  }, 60_000)

  test.each([
    ['sentinel', 'sentinel', '/main'],
    ['sentinel', 'subscribe', '/main'],
    ['cluster', 'cluster', ''],
  ])(
    'as a %s to %s fails no read',
    async (kind, command, path) => {
      const liar = new Liar()
      await using server = await serve(liar.script)
      const url = `redis+${kind}://127.0.0.1:${server.port}${path}`
      await fc.assert(
        fc.asyncProperty(everyReply, async (lie) => {
          const told = liar.lieTo(command, lie)
          await using open = openRedisStore({ url }, systemClock)
          await told
          await expectMiss(open)
        }),
        { numRuns: 60 },
      )
    },
    60_000,
  )

  test('to reads and writes of the stream of invalidations invalidates nothing', async () => {
    const liar = new Liar()
    await using server = await serve(liar.script)
    const url = `redis://127.0.0.1:${server.port}`
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('xread', 'xrange', 'xrevrange', 'xlen', 'xadd'),
        everyReply,
        async (command, lie) => {
          const told = liar.lieTo(command, lie)
          const events = new Recorder()
          const invalidations = new RedisInvalidations({ url }, { clock: systemClock, random, events })
          invalidations.invalidate(['a'])
          await told
          await invalidations[Symbol.asyncDispose]()
          expect(events.count('invalidated', 'elsewhere')).toBe(0)
        },
      ),
      { numRuns: 60 },
    )
  }, 60_000)

  test('without any command, fails no read', async () => {
    let unasked: Reply = ''
    await using server = await serve(([name], socket) => {
      if (name === 'pttl') socket.write(unasked, 'latin1')
      return undefined
    })
    await fc.assert(
      fc.asyncProperty(everyReply, async (reply) => {
        unasked = reply
        await using open = openRedisStore({ url: `redis://127.0.0.1:${server.port}` }, systemClock)
        await open.events.next('redisUp', true)
        await expectMiss(open)
        await expectMiss(open)
      }),
      { numRuns: 60 },
    )
  }, 60_000)
})

async function expectMiss({ store }: OpenRedis): Promise<void> {
  expect(await store.get(keyOf('alice'))).toBeUndefined()
}

test.each([
  ['one endless text', '$100000000000\r\n', 'x'],
  ['endless lists', '', '*1\r\n'],
  ['a line without end', '+', 'x'],
  ['a list of endless texts', '*1000000\r\n', '$3\r\nabc\r\n'],
])(
  'a Redis that answers %s loses the connection before it takes memory',
  async (_what, begin, part) => {
    const filler = Buffer.from(part.repeat(Math.ceil(65_536 / part.length)))
    let flooded = 0
    await using server = await serve(([name], socket) => {
      if (name !== 'getrange') return undefined
      const flood = () => {
        while (!socket.destroyed && socket.write(filler)) flooded += filler.length
      }
      socket.on('drain', flood)
      socket.write(begin)
      flood()
      return Buffer.alloc(0)
    })
    await using open = openRedisStore(
      { url: `redis://127.0.0.1:${server.port}`, maxBytes: 65_536 },
      systemClock,
    )
    await open.events.next('redisUp', true)
    const before = process.memoryUsage()
    const down = open.events.next('redisUp', false)
    expect(await open.store.get(keyOf('alice'))).toBeUndefined()
    await down
    const after = process.memoryUsage()
    expect(open.events.count('cacheLookup', 'redis', 'error')).toBe(1)
    // Most of `flooded` is in the sockets' buffers of the operating system. The daemon holds far less.
    expect(flooded).toBeLessThan(64 * 1024 * 1024)
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(32 * 1024 * 1024)
  },
  30_000,
)
