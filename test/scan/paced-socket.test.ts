import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { pacedSocket } from '../../src/scan/node.connect.ts'
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

test('a turn of the event loop ends after the first slice that is expensive to parse', async () => {
  await using stack = new AsyncDisposableStack()
  let [turn, slices] = [0, 0]
  const perTurn: number[] = []
  const count = () => {
    turn++
    immediate = setImmediate(count)
  }
  let immediate = setImmediate(count)
  await readAll(await open(stack), () => {
    slices++
    perTurn[turn] = (perTurn[turn] ?? 0) + 1
    for (const ends = performance.now() + 2.5; performance.now() < ends; );
  })
  clearImmediate(immediate)
  expect(slices).toBeGreaterThan(40)
  // A chunk that arrives in the turn in which the queue became empty starts another portion.
  expect(Math.max(...perTurn.filter((count) => count > 0))).toBeLessThanOrEqual(2)
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
