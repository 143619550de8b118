import { getEventListeners, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { HttpServer } from '../../src/server/http/server.ts'
import type { Conversation } from '../../src/server/http/sockets.ts'
import { WsSockets } from '../../src/server/http/sockets.ws.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'

async function openSockets(conversation: Conversation, how: 'open' | 'refuse' = 'open') {
  const clock = new ManualClock()
  const slow = { readers: 0 }
  const sockets = new WsSockets(
    [
      {
        path: '/stream',
        open: how === 'open' ? async () => conversation : () => Promise.reject(new Error()),
      },
    ],
    {
      clock,
      refuse: () => ({ status: 500, headers: {}, body: '' }),
      tellSlow: () => {
        slow.readers++
      },
    },
  )
  const address = { host: '127.0.0.1', port: 0 }
  const server = await HttpServer.listen(address, { fetch: () => new Response(), upgrades: sockets }, clock)
  return {
    url: server.url,
    clock,
    slow,
    async connect(): Promise<WebSocket> {
      const ws = new WebSocket(`${server.url.replace('http', 'ws')}/stream`, ['daml.ws.auth'])
      await once(ws, 'open')
      return ws
    },
    close: (timeoutMs: number) => server.close(timeoutMs),
    [Symbol.asyncDispose]: () => server.close(0),
  }
}

const megabyte = 'x'.repeat(1024 * 1024)
const handshake = [
  'GET /stream HTTP/1.1',
  'host: localhost',
  'upgrade: websocket',
  'connection: upgrade',
  'sec-websocket-version: 13',
  'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
]

test('a reader that takes nothing holds its sender up, and is closed with a reason when it takes too long', async () => {
  let sent = 0
  let ended = false
  await using opened = await openSockets(async (socket) => {
    while (!socket.signal.aborted) {
      await socket.send([megabyte])
      sent++
    }
    ended = true
  })
  const ws = await opened.connect()
  ws.pause()
  let last = -1
  await eventually(async () => {
    const before = last
    last = sent
    await new Promise((resolve) => setImmediate(resolve))
    return sent === before && sent > 0
  })
  // Each frame is a megabyte. The buffers of the operating system and of the server together hold less than 64 MB.
  expect(sent).toBeLessThan(64)
  expect(ended).toBe(false)
  opened.clock.advance(30_000)
  opened.clock.advance(30_000)
  await eventually(() => ended)
  expect(opened.slow.readers).toBe(1)
  const closed = once(ws, 'close')
  ws.resume()
  const [code, reason] = await closed
  expect([code, String(reason)]).toEqual([1013, 'the reader is too slow'])
})

test('a reader that is slow but takes something is waited for, and no wait leaves a listener behind', async () => {
  const listeners: number[] = []
  await using opened = await openSockets(async (socket) => {
    for (let count = 0; count < 40; count++) {
      await socket.send([megabyte])
      listeners.push(getEventListeners(socket.signal, 'abort').length)
    }
    socket.close()
  })
  const ws = await opened.connect()
  let got = 0
  ws.on('message', () => {
    got++
    ws.pause()
    setImmediate(() => ws.resume())
  })
  const [code] = await once(ws, 'close')
  expect([code, got, opened.slow.readers]).toEqual([1000, 40, 0])
  expect(new Set(listeners)).toEqual(new Set([0]))
})

test('a caller that asks for nothing is closed', async () => {
  const first: unknown[] = []
  await using opened = await openSockets(async (socket) => {
    first.push(await socket.first())
  })
  const silent = await opened.connect()
  const closed = once(silent, 'close')
  opened.clock.advance(60_000)
  await closed
  expect(first).toEqual([undefined])
})

test('a caller that answers no ping is gone, and one that does stays', async () => {
  const gone: string[] = []
  await using opened = await openSockets(async (socket) => {
    const name = await socket.first()
    socket.signal.addEventListener('abort', () => gone.push(name ?? ''))
    await socket.send([`${name} is heard`])
  })
  const [dead, alive] = [await opened.connect(), await opened.connect()]
  dead.send('dead')
  alive.send('alive')
  await Promise.all([once(dead, 'message'), once(alive, 'message')])
  dead.pause()
  const pinged = once(alive, 'ping')
  opened.clock.advance(30_000)
  await pinged
  // The server reads frames in order. So its answer to this ping shows that it has read the earlier pong too.
  const ponged = once(alive, 'pong')
  alive.ping()
  await ponged
  opened.clock.advance(30_000)
  await eventually(() => gone.length > 0)
  expect(gone).toEqual(['dead'])
  alive.terminate()
})

test('when the server stops, its callers get a close frame, and connections that stay open are cut', async () => {
  await using opened = await openSockets(async (socket) => {
    await socket.first()
  })
  const polite = await opened.connect()
  const goodbye = once(polite, 'close')
  const stubborn = await opened.connect()
  stubborn.pause()
  const closing = opened.close(10_000)
  const [code, reason] = await goodbye
  expect([code, String(reason)]).toEqual([1001, 'the server is going away'])
  opened.clock.advance(10_000)
  await closing
  stubborn.resume()
})

test('a thousand idle callers can have a WebSocket, and one more when one of them leaves', async () => {
  await using opened = await openSockets(async (socket) => void (await socket.first()))
  using callers = new DisposableStack()
  const call = async () => {
    const { socket, status } = await shakeHands(opened.url)
    callers.defer(() => socket.destroy())
    return { socket, status }
  }
  const { socket: first } = await call()
  for (let count = 1; count < 1_000; count++) expect((await call()).status).toBe(101)
  expect((await call()).status).toBe(500)
  first.destroy()
  await eventually(async () => (await call()).status === 101)
})

async function shakeHands(url: string): Promise<{ readonly socket: Socket; readonly status: number }> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  socket.write(`${handshake.join('\r\n')}\r\n\r\n`)
  const [told] = await once(socket, 'data')
  return { socket, status: Number(String(told).split(' ')[1]) }
}

test('a refused caller that continues to send is disconnected after a second', async () => {
  await using opened = await openSockets(async () => {}, 'refuse')
  const { port } = new URL(opened.url)
  const socket = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true })
  socket.on('error', () => {})
  socket.write(`${handshake.join('\r\n')}\r\n\r\n${'x'.repeat(300_000)}`)
  const [told] = await once(socket, 'data')
  expect(String(told)).toMatch(/^HTTP\/1\.1 500 /)
  opened.clock.advance(1_000)
  await eventually(() => {
    socket.write('more')
    return socket.destroyed
  })
})
