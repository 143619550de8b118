import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../src/base/lib/clock.ts'
import { HttpServer } from '../../src/server/http/server.ts'

const request = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'
const opened: { close(timeoutMs: number): unknown }[] = []
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close(0)
})

async function listen(keepAliveTimeoutMs?: number): Promise<HttpServer> {
  const address = { host: '127.0.0.1', port: 0, ...(keepAliveTimeoutMs && { keepAliveTimeoutMs }) }
  const server = await HttpServer.listen(address, { fetch: () => new Response('a') }, systemClock)
  opened.push(server)
  return server
}

async function asked({ port }: HttpServer): Promise<{ readonly socket: Socket; readonly answer: string }> {
  const socket = connect(port, '127.0.0.1')
  socket.write(request)
  const [answer] = await once(socket, 'data')
  return { socket, answer: String(answer) }
}

test('an idle connection stays open for 75 s by default, longer than load balancers keep theirs', async () => {
  const { socket, answer } = await asked(await listen())
  expect(answer.toLowerCase()).toContain('\r\nkeep-alive: timeout=75\r\n')
  socket.destroy()
})

test('an idle connection is closed after http.keepAliveTimeout', async () => {
  const server = await listen(1_000)
  const { socket, answer } = await asked(server)
  expect(answer.toLowerCase()).toContain('\r\nkeep-alive: timeout=1\r\n')
  const began = performance.now()
  await once(socket, 'end')
  expect(performance.now() - began).toBeGreaterThan(900)
  socket.destroy()
})
