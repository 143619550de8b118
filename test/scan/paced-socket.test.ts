import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { pacedSocket } from '../../src/core/scan/paced-socket.ts'
import { onLoopback } from '../support/on-loopback.ts'

const sent = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251))

async function open(stack: AsyncDisposableStack): Promise<Socket> {
  const server = createServer((socket) => socket.on('error', () => {}).end(sent))
  const { port } = stack.use(await onLoopback(server))
  const socket = stack.adopt(connect(port, '127.0.0.1'), (opened) => void opened.destroy())
  await once(socket, 'connect')
  return pacedSocket(socket)
}

/** Reads as an HTTP parser does: in the event `readable`, until nothing is left. */
function readAll(socket: Socket, take: (chunk: Buffer) => void): Promise<unknown> {
  socket.on('readable', () => {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) take(chunk)
  })
  return once(socket, 'end')
}

test('a reader gets all bytes in their order, in slices of at most 4 KiB', async () => {
  await using stack = new AsyncDisposableStack()
  const chunks: Buffer[] = []
  await readAll(await open(stack), (chunk) => chunks.push(chunk))
  expect(Buffer.concat(chunks).equals(sent)).toBe(true)
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(4_096)
})

test('in a turn of the event loop, the readers of two sockets get at most 16 KiB together', async () => {
  await using stack = new AsyncDisposableStack()
  const sockets = [await open(stack), await open(stack)]
  let turn = 0
  const perTurn: number[] = []
  const count = () => {
    turn++
    immediate = setImmediate(count)
  }
  let immediate = setImmediate(count)
  const take = ({ length }: Buffer) => {
    perTurn[turn] = (perTurn[turn] ?? 0) + length
  }
  await Promise.all(sockets.map((socket) => readAll(socket, take)))
  clearImmediate(immediate)
  const bytes = perTurn.filter((count) => count > 0)
  expect(bytes.reduce((sum, count) => sum + count)).toBe(2 * sent.length)
  // The counted turns and those of the sockets may begin at different immediates of one turn.
  expect(Math.max(...bytes)).toBeLessThanOrEqual(2 * 16_384)
})

test('two sockets that always have something to read get the same share', async () => {
  await using stack = new AsyncDisposableStack()
  const sockets = [await open(stack), await open(stack)]
  const got = [0, 0]
  const ends = sockets.map((socket, index) =>
    readAll(socket, ({ length }) => {
      got[index] = (got[index] ?? 0) + length
    }),
  )
  await Promise.race(ends)
  expect(Math.min(...got)).toBeGreaterThan(sent.length / 2)
  await Promise.all(ends)
})

test('a socket that is destroyed while it waits for its turn is not read any more', async () => {
  await using stack = new AsyncDisposableStack()
  const socket = await open(stack)
  let reads = 0
  readAll(socket, () => {
    reads++
    socket.destroy()
  }).catch(() => {})
  await once(socket, 'close')
  await new Promise((resolve) => setImmediate(resolve))
  expect(reads).toBe(1)
})
