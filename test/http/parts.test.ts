import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { CallerLeft } from '../../src/base/lib/body-bytes.ts'
import { sendParts } from '../../src/server/http/send-answer.ts'

interface Served extends AsyncDisposable {
  readonly port: number
  readonly outcome: Promise<unknown>
}

async function serving(parts: () => AsyncIterable<string>): Promise<Served> {
  const { promise: outcome, resolve } = Promise.withResolvers<unknown>()
  const server = createServer((_, outgoing) => {
    sendParts(parts(), outgoing).then(
      () => resolve('sent'),
      (error: unknown) => resolve(error),
    )
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    port: (server.address() as AddressInfo).port,
    outcome,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

test('parts arrive whole and in their order, however long they are', async () => {
  const parts = [10, 700_000, 3, 70_000, 500_000, 1].map((size, index) => 'abcdef'.charAt(index).repeat(size))
  await using served = await serving(async function* () {
    for (const part of parts) yield part
  })
  const body = await (await fetch(`http://127.0.0.1:${served.port}`)).text()
  expect(body === parts.join('')).toBe(true)
  expect(await served.outcome).toBe('sent')
})

test('a caller that disconnects without reading ends an answer without an end', async () => {
  const part = 'a'.repeat(1_000_000)
  let ended = false
  await using served = await serving(async function* () {
    try {
      for (;;) yield part
    } finally {
      ended = true
    }
  })
  const socket = connect(served.port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  await once(socket, 'readable')
  socket.destroy()
  expect(await served.outcome).toBeInstanceOf(CallerLeft)
  expect(ended).toBe(true)
})

test('an answer whose next part does not come is cut off', async () => {
  const cause = new Error('no more')
  await using served = await serving(async function* () {
    yield 'some'
    throw cause
  })
  await expect(fetch(`http://127.0.0.1:${served.port}`).then((answer) => answer.text())).rejects.toThrow()
  expect(await served.outcome).toBe(cause)
})
