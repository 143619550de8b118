import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { openRedis } from '../../src/cache/redis-client.ts'
import { parseRedisUrl } from '../../src/cache/redis-url.ts'
import { bulk, list } from './resp.ts'

async function serve(meet: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    meet(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    [Symbol.dispose]: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

const sayOne = (socket: Socket) => void socket.write(':1\r\n')

const answerAsSentinel = (port: number) => (socket: Socket) => {
  socket.on('data', (bytes) => {
    const isQuestion = bytes.toString('latin1').includes('get-master-addr-by-name')
    socket.write(isQuestion ? list(bulk('127.0.0.1'), bulk(String(port))) : subscribed)
  })
}
const subscribed = list(bulk('subscribe'), bulk('+switch-master'), ':1\r\n')

async function whyEnded(url: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<Error>()
  const client = openRedis(parseRedisUrl(url), () => 0.5, { invalidReply: resolve })
  try {
    return (await promise).message
  } finally {
    client.disconnect()
  }
}

const wrong = /^Redis answered .* with (?:the integer 1|what nobody asked for)$/

test('a client ends its connection to a Redis that sends an impossible reply', async () => {
  using redis = await serve(sayOne)
  expect(await whyEnded(`redis://127.0.0.1:${redis.port}`)).toMatch(wrong)
})

test('a client ends its connection to a node of a Cluster that sends an impossible reply', async () => {
  using node = await serve(sayOne)
  expect(await whyEnded(`redis+cluster://127.0.0.1:${node.port}`)).toMatch(wrong)
})

test('a client ends its connection to a Sentinel that sends an impossible reply', async () => {
  using sentinel = await serve(sayOne)
  expect(await whyEnded(`redis+sentinel://127.0.0.1:${sentinel.port}/master`)).toMatch(wrong)
})

test('a client ends its connection to a master, named by a Sentinel, that sends an impossible reply', async () => {
  using master = await serve(sayOne)
  using sentinel = await serve(answerAsSentinel(master.port))
  expect(await whyEnded(`redis+sentinel://127.0.0.1:${sentinel.port}/master`)).toMatch(wrong)
})
