import { getEventListeners } from 'node:events'
import type { Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Budget } from '../../src/scan/budget.ts'
import type { ScanNode, ScanRequest, ScanResponse } from '../../src/scan/node.ts'
import { createUndiciScanNode } from '../../src/scan/node.undici.ts'
import {
  type Behaviour,
  chunk,
  chunkedHead,
  flooding,
  HostileServer,
  response,
  saying,
} from '../support/hostile-server.ts'
import { ManualClock } from '../support/manual-clock.ts'

interface Setting {
  readonly url: string
  readonly clock: ManualClock
  readonly budget: Budget
}

/** Every driver of the port meets the same sockets. */
const drivers: readonly { name: string; create: (setting: Setting) => ScanNode }[] = [
  {
    name: 'undici',
    create: ({ url, clock, budget }) =>
      createUndiciScanNode({ url, budget, allowHttp: true, allowPrivate: true }, { clock }),
  },
]

const never = new AbortController().signal
const request: ScanRequest = { method: 'GET', path: '/api/scan/v0/x', maxBytes: 65_536, timeoutMs: 5000 }
const mebibyte = 1_048_576
const large: ScanRequest = { ...request, maxBytes: 4 * mebibyte }

function text(answer: ScanResponse): string {
  return answer.kind === 'response' ? answer.body.toString() : `${answer.fault}: ${answer.detail}`
}

/** Lets the event loop turn until the predicate holds. */
async function turnsUntil(predicate: () => boolean): Promise<void> {
  while (!predicate()) await new Promise(setImmediate)
}

/** Looks on every turn of the event loop until the function returned is called. */
function watching(look: () => void): () => void {
  let over = false
  const turn = () => {
    look()
    if (!over) setImmediate(turn)
  }
  turn()
  return () => {
    over = true
  }
}

function ofFault(fault: string) {
  return expect.objectContaining({ kind: 'fault', fault })
}

describe.each(drivers)('a scan node by $name', ({ create }) => {
  async function meet(behaviour: Behaviour, path = '') {
    const server = await HostileServer.listen(behaviour)
    const clock = new ManualClock()
    const budget = new Budget({ slots: 8, bytes: 64 * mebibyte })
    const node = create({ url: server.url + path, clock, budget })
    onTestFinished(async () => {
      await node[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    })
    const ask = (changes: Partial<ScanRequest> = {}, signal = never) =>
      node.ask({ ...request, ...changes }, signal)
    return { server, clock, budget, node, ask }
  }

  describe('answers', () => {
    test('with the status and the bytes that the node sent', async () => {
      const { ask } = await meet(saying(response('{"a":1}', { status: '404 Not Found' })))
      expect(await ask()).toMatchObject({ kind: 'response', status: 404, body: Buffer.from('{"a":1}') })
    })

    test('asks for JSON at the path that was given', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      await ask({ path: '/api/scan/v0/ans-entries?page_size=2&name_prefix=a%20b' })
      const [heard] = server.requests
      expect(heard?.head).toMatch(
        /^GET \/api\/scan\/v0\/ans-entries\?page_size=2&name_prefix=a%20b HTTP\/1\.1\r\n/,
      )
      expect(heard?.head).toMatch(/^accept: application\/json$/m)
      expect(heard?.head).toMatch(new RegExp(`^host: 127\\.0\\.0\\.1:${server.port}$`, 'm'))
    })

    test('puts the base path of the URL before it', async () => {
      const { ask, server, node } = await meet(saying(response('{}')), '/sv-1/')
      await ask()
      expect(server.requests[0]?.head).toMatch(/^GET \/sv-1\/api\/scan\/v0\/x HTTP/)
      expect(node.url).toBe(`${server.url}/sv-1`)
    })

    test('a POST with its body', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      await ask({ method: 'POST', body: '{"name":"ü"}' })
      expect(server.requests[0]?.head).toMatch(/^content-type: application\/json$/m)
      expect(Buffer.from(server.requests[0]?.body ?? '', 'latin1').toString()).toBe('{"name":"ü"}')
    })

    test('a body in many pieces', async () => {
      const pieces = Array.from({ length: 900 }, (_, index) => chunk(`${index},`))
      const { ask } = await meet((socket) => {
        socket.write(chunkedHead())
        for (const piece of pieces) socket.write(piece)
        socket.write(chunk(''))
      })
      expect(text(await ask())).toBe(Array.from({ length: 900 }, (_, index) => `${index},`).join(''))
    })

    test('an empty body, also where none may come', async () => {
      const { ask, server } = await meet(saying(response('')))
      expect(text(await ask())).toBe('')
      server.behave(saying('HTTP/1.1 204 No Content\r\n\r\n'))
      expect(await ask()).toMatchObject({ status: 204, body: Buffer.alloc(0) })
    })

    test('a body of exactly the limit', async () => {
      const { ask } = await meet(saying(response('x'.repeat(1000))))
      expect(text(await ask({ maxBytes: 1000 }))).toHaveLength(1000)
    })

    test('a body that the end of the connection ends', async () => {
      const { ask } = await meet((socket) =>
        socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{"a":1}'),
      )
      expect(text(await ask())).toBe('{"a":1}')
    })

    test('a redirect as a response, without going there', async () => {
      const { ask, server } = await meet(
        saying(response('', { status: '302 Found', headers: ['location: http://127.0.0.1:1/'] })),
      )
      expect(await ask()).toMatchObject({ kind: 'response', status: 302 })
      expect(server.requests).toHaveLength(1)
    })

    test('past interim responses', async () => {
      const { ask } = await meet(saying(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${response('{}')}`))
      expect(await ask()).toMatchObject({ kind: 'response', status: 200 })
    })

    test('one connection for asks in a row', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      for (let round = 0; round < 5; round++) await ask()
      expect(server.accepted).toBe(1)
    })

    test('without pipelining: asks at the same time have a connection each', async () => {
      const { ask, server } = await meet(() => {})
      const controller = new AbortController()
      const asks = Promise.allSettled([1, 2, 3].map(() => ask({}, controller.signal)))
      await server.until(() => server.requests.length === 3)
      expect(server.accepted).toBe(3)
      controller.abort()
      await asks
    })

    test('many asks on one signal, without a warning', async () => {
      const warnings: string[] = []
      const note = (warning: Error) => warnings.push(warning.message)
      process.on('warning', note)
      const { ask } = await meet(saying(response('{}')))
      await Promise.all(Array.from({ length: 30 }, () => ask()))
      await new Promise(setImmediate)
      process.off('warning', note)
      expect(warnings).toEqual([])
    })
  })

  describe('content codings', () => {
    const content = JSON.stringify({ names: Array.from({ length: 5000 }, (_, index) => `name-${index}`) })

    test('are not asked for where bodies are small, and gzip is where they may be large', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      await ask()
      await ask(large)
      expect(server.requests[0]?.head).toMatch(/^accept-encoding: identity$/m)
      expect(server.requests[1]?.head).toMatch(/^accept-encoding: gzip$/m)
    })

    test.each([
      ['gzip', gzipSync(content)],
      ['GZIP', gzipSync(content)],
      ['deflate', deflateSync(content)],
      ['br', brotliCompressSync(content)],
      ['identity', Buffer.from(content)],
      ['Identity', Buffer.from(content)],
    ])('%s is undone, also when it was not asked for', async (coding, body) => {
      const { ask } = await meet(saying(response(body, { headers: [`content-encoding: ${coding}`] })))
      expect(text(await ask({ maxBytes: 100_000 }))).toBe(content)
      expect(text(await ask(large))).toBe(content)
    })

    test('a body that comes faster than it is decoded arrives whole', async () => {
      const noise = Buffer.from(
        Array.from({ length: 3 * mebibyte }, (_, index) => (index * 7919 * (index >> 5)) & 0xff),
      )
      const { ask } = await meet(saying(response(gzipSync(noise), { headers: ['content-encoding: gzip'] })))
      const answer = await ask(large)
      expect(answer.kind === 'response' && answer.body.equals(noise)).toBe(true)
    })

    test('an unknown one, or one on top of another, is a fault', async () => {
      const { ask, server } = await meet(saying(response('{}', { headers: ['content-encoding: zebra'] })))
      expect(await ask()).toEqual(ofFault('not-json'))
      server.behave(saying(response(gzipSync(gzipSync('{}')), { headers: ['content-encoding: gzip, gzip'] })))
      expect(await ask()).toEqual(ofFault('not-json'))
    })

    test('bytes that are not what the coding says are a fault', async () => {
      const { ask } = await meet(saying(response('{"a":1}', { headers: ['content-encoding: gzip'] })))
      expect(await ask()).toEqual(ofFault('not-json'))
    })

    test('a body cut within its coding is truncated, also where its length is as announced', async () => {
      const cut = gzipSync(content).subarray(0, -20)
      const { ask } = await meet(saying(response(cut, { headers: ['content-encoding: gzip'] })))
      expect(await ask(large)).toEqual(ofFault('truncated'))
    })

    test.each([
      ['gzip', gzipSync(content)],
      ['deflate', deflateSync(content)],
      ['br', brotliCompressSync(content)],
    ])(
      'bytes without end after what %s decodes are a fault, and the end of the connection',
      async (coding, body) => {
        const { ask, server, budget } = await meet(
          flooding(
            Buffer.concat([Buffer.from(chunkedHead(`content-encoding: ${coding}`)), chunk(body)]),
            chunk('\0\0'),
          ),
        )
        expect(await ask(large)).toMatchObject({ kind: 'fault' })
        await server.until(() => server.open === 0)
        expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0 })
      },
    )

    test('a few bytes after what is decoded are a fault', async () => {
      const body = Buffer.concat([gzipSync(content), Buffer.alloc(10)])
      const { ask } = await meet(saying(response(body, { headers: ['content-encoding: gzip'] })))
      expect(await ask({ maxBytes: 100_000 })).toEqual(ofFault('not-json'))
    })

    test('a bomb goes off within the limit', async () => {
      const bomb = gzipSync(Buffer.alloc(256 * mebibyte))
      const { ask, budget } = await meet(saying(response(bomb, { headers: ['content-encoding: gzip'] })))
      const before = process.memoryUsage().arrayBuffers
      let peak = before
      const stop = watching(() => {
        peak = Math.max(peak, process.memoryUsage().arrayBuffers)
      })
      const answer = await ask(large)
      stop()
      expect(answer).toEqual(ofFault('oversized'))
      expect(peak - before).toBeLessThan(64 * mebibyte)
      expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0 })
    })

    test('a small bomb under a small limit does not go off either', async () => {
      const bomb = gzipSync(Buffer.alloc(mebibyte))
      const { ask } = await meet(saying(response(bomb, { headers: ['content-encoding: gzip'] })))
      expect(await ask()).toEqual(ofFault('oversized'))
    })
  })

  describe('time-outs', () => {
    const parts: readonly (readonly [string, string])[] = [
      ['silence', ''],
      ['headers that stop', 'HTTP/1.1 200 OK\r\ncontent-'],
      ['a body that stops', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12345'],
      ['a chunked body that stops', `${chunkedHead()}${chunk('12345')}`],
      ['an encoded body that stops', `${chunkedHead('content-encoding: gzip')}${chunk('\x1f')}`],
    ]

    test.each(parts)('%s ends at the time-out, and the connection with it', async (_what, bytes) => {
      const { ask, server, clock, budget } = await meet(saying(bytes))
      const asked = ask()
      await server.until(() => server.requests.length === 1)
      clock.advance(4999)
      expect(budget.inFlight).toBe(1)
      clock.advance(1)
      expect(await asked).toEqual(ofFault('timeout'))
      await server.until(() => server.open === 0)
      expect(clock.waiting).toBe(0)
      expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0 })
    })

    test.each([
      ['headers', `HTTP/1.1 200 OK\r\nx-slow: ${'a'.repeat(1000)}`],
      ['body', `HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n${'a'.repeat(1000)}`],
    ])('a drip of %s does not buy time', async (_what, bytes) => {
      let position = 0
      let drip = () => {}
      const { ask, server, clock } = await meet((socket) => {
        drip = () => socket.write(bytes.slice(position, ++position))
      })
      const asked = ask()
      await server.until(() => server.requests.length === 1)
      for (let second = 0; second < 5; second++) {
        drip()
        await new Promise(setImmediate)
        clock.advance(1000)
      }
      expect(await asked).toEqual(ofFault('timeout'))
    })

    test('a node that hung is asked again on a new connection', async () => {
      const { ask, server, clock } = await meet(() => {})
      const hung = ask()
      await server.until(() => server.requests.length === 1)
      clock.advance(5000)
      await hung
      server.behave(saying(response('{}')))
      expect(await ask()).toMatchObject({ status: 200 })
      expect(server.accepted).toBe(2)
    })
  })

  describe('limits', () => {
    test('an announced length above the limit is refused before the body is read', async () => {
      const { ask, server } = await meet(saying(`HTTP/1.1 200 OK\r\ncontent-length: 65537\r\n\r\n`))
      expect(await ask()).toEqual(ofFault('oversized'))
      await server.until(() => server.open === 0)
    })

    test('a body without a length is cut off at the limit', async () => {
      const { ask, server } = await meet(flooding(chunkedHead(), chunk('x'.repeat(16_384))))
      expect(await ask()).toEqual(ofFault('oversized'))
      await server.until(() => server.open === 0)
    })

    test('a body in crumbs is cut off long before the limit', async () => {
      const { ask } = await meet(
        flooding(chunkedHead(), Buffer.concat(Array.from({ length: 5000 }, () => chunk('x')))),
      )
      expect(await ask(large)).toMatchObject({
        fault: 'oversized',
        detail: expect.stringMatching(/^\d+ chunks for/),
      })
    })

    test('an encoded body that decodes to nothing without end is cut off', async () => {
      const emptyBlock = Buffer.from([0, 0, 0, 0xff, 0xff])
      const { ask, server } = await meet(
        flooding(
          Buffer.concat([
            Buffer.from(chunkedHead('content-encoding: deflate')),
            chunk(Buffer.from([0x78, 0x9c])),
          ]),
          chunk(Buffer.concat(Array.from({ length: 1000 }, () => emptyBlock))),
        ),
      )
      expect(await ask()).toEqual(ofFault('oversized'))
      await server.until(() => server.open === 0)
    })

    test('headers of more than 16 KiB are refused', async () => {
      const { ask, server } = await meet(
        saying(response('{}', { headers: [`x-long: ${'a'.repeat(15_000)}`] })),
      )
      expect(await ask()).toMatchObject({ status: 200 })
      server.behave(saying(response('{}', { headers: [`x-long: ${'a'.repeat(17_000)}`] })))
      expect(await ask()).toEqual(ofFault('oversized'))
    })

    test('headers without end are cut off', async () => {
      const { ask, server } = await meet(
        flooding('HTTP/1.1 200 OK\r\n', Buffer.from(`x-a: ${'a'.repeat(1000)}\r\n`)),
      )
      expect(await ask()).toEqual(ofFault('oversized'))
      await server.until(() => server.open === 0)
    })

    test('interim responses without end are cut off', async () => {
      const { ask, server } = await meet(flooding('', Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n')))
      expect(await ask()).toEqual(ofFault('reset'))
      server.behave(flooding('', Buffer.from('HTTP/1.1 100 Continue\r\n\r\n')))
      expect(await ask()).toEqual(ofFault('reset'))
      await server.until(() => server.open === 0)
    })
  })

  describe('broken connections', () => {
    test('a refused one is unreachable', async () => {
      const { ask, server, node } = await meet(() => {})
      await server[Symbol.asyncDispose]()
      expect(await ask()).toEqual(ofFault('unreachable'))
      expect(await ask()).toEqual(ofFault('unreachable'))
      node.warm()
    })

    test('asks that waited for one that was refused are refused in turn', async () => {
      const { ask, server, budget } = await meet(() => {})
      await server[Symbol.asyncDispose]()
      budget.resize({ slots: 1, bytes: mebibyte })
      expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 2, 3].map(() => ofFault('unreachable')))
      expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0, waiting: 0 })
    })

    const breaks: readonly (readonly [string, string, string])[] = [
      ['before a response', 'reset', ''],
      ['within the status line', 'reset', 'HTTP/1.1 20'],
      ['within the headers', 'reset', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n'],
      ['within a body of known length', 'truncated', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n1234'],
      ['within a chunk', 'truncated', `${chunkedHead()}5\r\n123`],
      ['between chunks', 'truncated', `${chunkedHead()}${chunk('12345')}`],
      ['within an encoded body', 'truncated', `${chunkedHead('content-encoding: gzip')}${chunk('\x1f')}`],
    ]

    test.each(breaks)('closed %s is %s', async (_where, fault, bytes) => {
      const { ask, server } = await meet((socket) => socket.end(bytes))
      expect(await ask()).toEqual(ofFault(fault))
      expect(server.requests).toHaveLength(1)
    })

    test.each(breaks)('reset %s is %s', async (_where, fault, bytes) => {
      const { ask, server } = await meet((socket) => socket.write(bytes, () => socket.resetAndDestroy()))
      expect(await ask()).toEqual(ofFault(fault))
      expect(server.requests).toHaveLength(1)
    })

    test.each([
      ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 'reset'],
      ['a status that is none', 'HTTP/1.1 two hundred\r\n\r\n', 'reset'],
      ['a header that is none', 'HTTP/1.1 200 OK\r\n\x00\x01\r\n\r\n', 'reset'],
      ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}}', 'reset'],
      [
        'a length and chunks',
        'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}',
        'reset',
      ],
      [
        'an upgrade',
        'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
        'reset',
      ],
      ['a chunk without a size', `${chunkedHead()}zz\r\n{}\r\n`, 'truncated'],
    ])('%s is a fault', async (_what, bytes, fault) => {
      const { ask, server } = await meet(saying(bytes))
      expect(await ask()).toEqual(ofFault(fault))
      await server.until(() => server.open === 0)
    })

    test('bytes after the announced length do not reach the next answer', async () => {
      const { ask, server } = await meet((socket, { nth }) =>
        socket.write(nth === 0 ? `${response('{"a":1}')}${response('{"a":"stale"}')}` : response('{"a":2}')),
      )
      expect(text(await ask())).toBe('{"a":1}')
      server.behave(saying(response('{"a":2}')))
      expect(text(await ask())).toBe('{"a":2}')
    })
  })

  describe('connections kept alive', () => {
    test('one that the node closed between two asks is replaced', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      await ask()
      server.hangUp()
      await server.until(() => server.open === 0)
      expect(await ask()).toMatchObject({ status: 200 })
      expect(server.accepted).toBe(2)
    })

    test.each([
      ['GET', undefined],
      ['POST', '{"cached":[]}'],
    ] as const)(
      'one that breaks under a %s is replaced once, and the ask sent again',
      async (method, body) => {
        const { ask, server } = await meet((socket, { nth }) => {
          if (nth === 0) socket.write(response('{}'))
          else socket.resetAndDestroy()
        })
        const repeatable = { method, ...(body === undefined ? {} : { body }) }
        await ask()
        expect(await ask(repeatable)).toMatchObject({ status: 200 })
        expect(server.requests.map((heard) => heard.nth)).toEqual([0, 1, 0])
        expect(server.requests[2]?.head).toBe(server.requests[1]?.head)
        expect(server.requests[2]?.body).toBe(body ?? '')
      },
    )

    test('an ask is sent twice at most', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      await ask()
      server.behave((socket) => socket.destroy())
      expect(await ask()).toEqual(ofFault('reset'))
      expect(server.requests).toHaveLength(3)
    })

    test('an ask that was the first on its connection is not sent again', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      await ask()
      server.hangUp()
      await server.until(() => server.open === 0)
      server.behave((socket) => socket.destroy())
      expect(await ask()).toEqual(ofFault('reset'))
      expect(server.requests).toHaveLength(2)
    })

    test('an ask is not sent again once a byte came back', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      await ask()
      server.behave((socket) => socket.end('H'))
      expect(await ask()).toEqual(ofFault('reset'))
      expect(server.requests).toHaveLength(2)
    })

    test('an ask that is sent again keeps its time-out', async () => {
      const { ask, server, clock } = await meet(saying(response('{}')))
      await ask()
      server.behave((socket, { nth }) => {
        if (nth > 0) socket.destroy()
      })
      const asked = ask()
      await server.until(() => server.requests.length === 3)
      clock.advance(5000)
      expect(await asked).toEqual(ofFault('timeout'))
      expect(clock.waiting).toBe(0)
    })

    test('one that the node says it will close is not used again', async () => {
      const { ask, server } = await meet((socket) =>
        socket.end(response('{}', { headers: ['connection: close'] })),
      )
      await ask()
      expect(await ask()).toMatchObject({ status: 200 })
      expect(server.requests.map(({ nth }) => nth)).toEqual([0, 0])
    })
  })

  describe('a signal', () => {
    test('that aborted before rejects without asking', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      await expect(ask({}, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
      expect(server.accepted).toBe(0)
    })

    test.each([
      ['silence', ''],
      ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12345'],
      ['half an encoded body', `${chunkedHead('content-encoding: gzip')}${chunk('\x1f')}`],
    ])('that aborts in %s rejects with its reason and ends the request', async (_what, bytes) => {
      const { ask, server, clock, budget } = await meet(saying(bytes))
      const controller = new AbortController()
      const asked = ask({}, controller.signal)
      await server.until(() => server.requests.length === 1)
      controller.abort(new Error('the caller left'))
      await expect(asked).rejects.toThrow('the caller left')
      await server.until(() => server.open === 0)
      expect(clock.waiting).toBe(0)
      expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0 })
    })

    test('that aborts while connecting rejects at once, and the connection serves the next ask', async () => {
      const { ask, server, budget } = await meet(saying(response('{}')))
      const controller = new AbortController()
      const asked = ask({}, controller.signal)
      controller.abort(new Error('the caller left'))
      await expect(asked).rejects.toThrow('the caller left')
      expect(budget).toMatchObject({ inFlight: 1, reservedBytes: 0 })
      await turnsUntil(() => budget.inFlight === 0)
      expect(await ask()).toMatchObject({ status: 200 })
      expect(server.accepted).toBe(1)
      expect(server.requests).toHaveLength(1)
    })

    test('that aborts after the answer changes nothing', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      const controller = new AbortController()
      const answer = await ask({}, controller.signal)
      controller.abort()
      expect(answer).toMatchObject({ status: 200 })
      expect(await ask()).toMatchObject({ status: 200 })
      expect(server.accepted).toBe(1)
    })

    test('is forgotten when the ask is over', async () => {
      const { ask, server, clock } = await meet(saying(response('{}')))
      const { signal } = new AbortController()
      await ask({}, signal)
      expect(getEventListeners(signal, 'abort')).toHaveLength(0)
      server.behave(() => {})
      const asked = ask({}, signal)
      await server.until(() => server.requests.length === 2)
      expect(getEventListeners(signal, 'abort')).toHaveLength(1)
      clock.advance(5000)
      await asked
      expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    })
  })

  describe('the budget', () => {
    test('holds a whole limit while asking, the actual length afterwards, nothing after release', async () => {
      let reply = () => {}
      const { ask, server, budget } = await meet((socket) => {
        reply = () => socket.write(response('{"a":1}'))
      })
      const asked = ask()
      await server.until(() => server.requests.length === 1)
      expect(budget).toMatchObject({ inFlight: 1, reservedBytes: 65_536 })
      reply()
      const answer = await asked
      expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 7 })
      if (answer.kind === 'response') answer.release()
      expect(budget.reservedBytes).toBe(0)
      if (answer.kind === 'response') answer.release()
      expect(budget.reservedBytes).toBe(0)
    })

    test('admits asks in order as others end', async () => {
      const { ask, server, budget } = await meet(saying(response('{}')))
      budget.resize({ slots: 1, bytes: mebibyte })
      await Promise.all(['/a', '/b', '/c'].map((path) => ask({ path })))
      expect(server.requests.map(({ head }) => head.slice(4, 6))).toEqual(['/a', '/b', '/c'])
      expect(server.accepted).toBe(1)
    })

    test('turns asks away that waited for their time-out, or that find the line full', async () => {
      const { ask, server, clock, budget } = await meet(() => {})
      budget.resize({ slots: 1, bytes: mebibyte })
      const first = ask({ timeoutMs: 9000 })
      await server.until(() => server.requests.length === 1)
      const waiting = [1, 2, 3, 4].map(() => ask())
      expect(await ask()).toEqual(ofFault('busy'))
      clock.advance(5000)
      expect(await Promise.all(waiting)).toEqual([1, 2, 3, 4].map(() => ofFault('busy')))
      expect(server.requests).toHaveLength(1)
      clock.advance(4000)
      expect(await first).toEqual(ofFault('timeout'))
    })

    test('a waiting ask leaves the line when its signal aborts', async () => {
      const { ask, server, budget, clock } = await meet(() => {})
      budget.resize({ slots: 1, bytes: mebibyte })
      const first = ask()
      const controller = new AbortController()
      const second = ask({}, controller.signal)
      expect(budget.waiting).toBe(1)
      controller.abort(new Error('the caller left'))
      await expect(second).rejects.toThrow('the caller left')
      expect(budget).toMatchObject({ waiting: 0, inFlight: 1 })
      await server.until(() => server.requests.length === 1)
      clock.advance(5000)
      await first
    })

    test('takes a little room of an ask for a large body until the body arrives', async () => {
      const { ask, server, clock, budget } = await meet(() => {})
      const asks = [ask(large), ask(large), ask({ maxBytes: 1000 })]
      await server.until(() => server.requests.length === 3)
      expect(budget).toMatchObject({ inFlight: 3, reservedBytes: 2 * 65_536 + 1000 })
      clock.advance(5000)
      expect(await Promise.all(asks)).toEqual(asks.map(() => ofFault('timeout')))
      expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0 })
    })

    const content = Buffer.from(
      Array.from({ length: 300_000 }, (_, index) => (index * 7919 * (index >> 5)) & 0xff),
    )
    const framings: readonly (readonly [string, Buffer, (socket: Socket, bytes: Buffer) => void])[] = [
      ['of announced length', response(content), (socket, bytes) => socket.write(bytes)],
      [
        'in chunks',
        Buffer.concat([Buffer.from(chunkedHead()), chunk(content), chunk('')]),
        (socket, bytes) => socket.write(bytes),
      ],
      [
        'that is encoded',
        response(gzipSync(content), { headers: ['content-encoding: gzip'] }),
        (socket, bytes) => socket.write(bytes),
      ],
      [
        'that the end of the connection ends',
        Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n'), content]),
        (socket, bytes) => socket.end(bytes),
      ],
    ]

    /** Two bodies are there and not let go, and a third finds no room. */
    async function crowd(bytes: Buffer, send: (socket: Socket, bytes: Buffer) => void) {
      const replies: (() => void)[] = []
      const met = await meet((socket) => replies.push(() => send(socket, bytes)))
      met.budget.resize({ slots: 8, bytes: 500_000 })
      const controller = new AbortController()
      const asks = [met.ask(large), met.ask(large), met.ask(large, controller.signal)] as const
      await met.server.until(() => replies.length === 3)
      const held: ScanResponse[] = []
      for (const index of [0, 1] as const) {
        replies[index]?.()
        held.push(await asks[index])
      }
      replies[2]?.()
      await turnsUntil(() => met.budget.paused === 1)
      const release = () => {
        for (const answer of held.splice(0)) if (answer.kind === 'response') answer.release()
      }
      return { ...met, asked: asks[2], release, controller }
    }

    test.each(framings)(
      'a body %s waits where it finds no room, and goes on when there is',
      async (_what, bytes, send) => {
        const { asked, release, budget } = await crowd(bytes, send)
        release()
        const answer = await asked
        expect(answer.kind === 'response' && answer.body.equals(content)).toBe(true)
        expect(budget).toMatchObject({ reservedBytes: content.length, paused: 0 })
        if (answer.kind === 'response') answer.release()
        expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0 })
      },
    )

    test.each(framings)(
      'a body %s that waits for room until its time is up is our lack',
      async (_what, bytes, send) => {
        const { asked, release, budget, clock } = await crowd(bytes, send)
        clock.advance(5000)
        expect(await asked).toEqual(ofFault('busy'))
        expect(budget).toMatchObject({ reservedBytes: 2 * content.length, paused: 0 })
        release()
        await turnsUntil(() => budget.inFlight === 0)
        expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0 })
        expect(clock.waiting).toBe(0)
      },
    )

    test.each(framings)(
      'a body %s that waits for room is ended by its signal',
      async (_what, bytes, send) => {
        const { asked, release, budget, controller } = await crowd(bytes, send)
        controller.abort(new Error('the caller left'))
        release()
        await expect(asked).rejects.toThrow('the caller left')
        await turnsUntil(() => budget.inFlight === 0)
        expect(budget).toMatchObject({ reservedBytes: 0, paused: 0 })
      },
    )

    test('bodies larger than the whole share arrive one after the other', async () => {
      const { ask, budget } = await meet(saying(framings[1]?.[1] as Buffer))
      budget.resize({ slots: 8, bytes: 200_000 })
      let most = 0
      const stop = watching(() => {
        most = Math.max(most, budget.reservedBytes)
      })
      const lengths = Array.from({ length: 20 }, async () => {
        const answer = await ask(large)
        if (answer.kind === 'fault') return answer
        answer.release()
        return answer.body.length
      })
      expect(await Promise.all(lengths)).toEqual(lengths.map(() => content.length))
      stop()
      expect(most).toBeLessThanOrEqual(200_000 + 2 * content.length)
      expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0, waiting: 0, paused: 0 })
    })

    test('four nodes that flood a hundred asks stay within their shares and one body each', async () => {
      const share = { slots: 32, bytes: 4 * mebibyte }
      const met = await Promise.all(
        [1, 2, 3, 4].map(() => meet(flooding(chunkedHead(), chunk(Buffer.alloc(65_536))))),
      )
      for (const { budget } of met) budget.resize(share)
      let most = 0
      const stop = watching(() => {
        most = Math.max(most, ...met.map(({ budget }) => budget.reservedBytes))
      })
      const asks = met.flatMap(({ ask }) => Array.from({ length: 25 }, () => ask({ maxBytes: 2 * mebibyte })))
      const answers = await Promise.all(asks)
      stop()
      expect(answers).toEqual(answers.map(() => ofFault('oversized')))
      expect(most).toBeGreaterThan(share.bytes / 2)
      expect(most).toBeLessThanOrEqual(share.bytes + 2 * mebibyte)
      for (const { budget } of met)
        expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0, waiting: 0 })
    })
  })

  describe('its life', () => {
    test('warming opens the connection that the first ask uses', async () => {
      const { node, server, ask, budget } = await meet(saying(response('{}')))
      node.warm()
      await server.until(() => server.requests.length === 1)
      await turnsUntil(() => budget.inFlight === 0)
      await ask()
      expect(server.accepted).toBe(1)
      expect(budget.reservedBytes).toBe(2)
    })

    test('warming does nothing where there is a connection, or no more use for one', async () => {
      const { node, server, ask } = await meet(saying(response('{}')))
      await ask()
      node.warm()
      await ask()
      expect([server.requests.length, server.accepted]).toEqual([2, 1])
      await node[Symbol.asyncDispose]()
      node.warm()
      await ask()
      expect([server.requests.length, server.accepted]).toEqual([2, 1])
    })

    test('disposing waits for the asks under way and closes every connection', async () => {
      const { node, server, clock, ask } = await meet(() => {})
      const asked = ask()
      await server.until(() => server.requests.length === 1)
      let disposed = false
      const disposing = node[Symbol.asyncDispose]().then(() => {
        disposed = true
      })
      expect(await ask()).toEqual(ofFault('busy'))
      expect(disposed).toBe(false)
      clock.advance(5000)
      expect(await asked).toEqual(ofFault('timeout'))
      await disposing
      await server.until(() => server.open === 0)
      expect(clock.waiting).toBe(0)
    })

    test('disposing does not wait for a warming', async () => {
      const { node, server, clock } = await meet(() => {})
      node.warm()
      await server.until(() => server.requests.length === 1)
      await node[Symbol.asyncDispose]()
      await server.until(() => server.open === 0)
      expect(clock.waiting).toBe(0)
    })

    test('disposing an idle node closes what it kept alive', async () => {
      const { node, server, clock, ask } = await meet(saying(response('{}')))
      await Promise.all([ask(), ask(), ask()])
      expect(server.open).toBe(3)
      await node[Symbol.asyncDispose]()
      await node[Symbol.asyncDispose]()
      await server.until(() => server.open === 0)
      expect(clock.waiting).toBe(0)
    })
  })
})
