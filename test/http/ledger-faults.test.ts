import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../support/eventually.ts'
import { heapUsed } from '../support/heap.ts'
import { withMembers } from '../support/with-members.ts'
import { anyone, eventsOf, type LedgerDoors, openLedgerDoors, updatesOf } from './ledger-doors.ts'

let doors: LedgerDoors
let token: string

beforeAll(async () => {
  doors = await openLedgerDoors()
  token = await doors.tokenOf(anyone)
})
afterAll(() => doors[Symbol.asyncDispose]())

const open = { beginExclusive: 0, updateFormat: updatesOf(eventsOf()) }

async function post(): Promise<Socket> {
  const { port } = new URL(doors.url)
  const body = JSON.stringify(open)
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    `POST /v2/updates?stream_idle_timeout_ms=10000 HTTP/1.1\r\nhost: a\r\nauthorization: bearer ${token}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  return socket
}

async function stream(): Promise<WebSocket> {
  const ws = new WebSocket(`${doors.url.replace('http', 'ws')}/v2/updates`, [
    `jwt.token.${token}`,
    'daml.ws.auth',
  ])
  await once(ws, 'open')
  ws.send(JSON.stringify(open))
  return ws
}

test('503 in plain text: a read without an end that goes on for 20 s', async () => {
  const answer = doors.asks('POST /v2/updates?stream_idle_timeout_ms=60000', open, { as: anyone })
  await eventually(() => doors.updates.readers === 1)
  await doors.net.ledger.end()
  doors.net.clock.advance(20_000)
  expect(await answer).toMatchObject({
    status: 503,
    type: 'text/plain; charset=UTF-8',
    text: expect.stringMatching(
      /^The server was not able to produce a timely response to your request\.\r\n/,
    ),
  })
  await eventually(() => doors.updates.readers === 0)
})

test('a caller that disconnects while waiting for updates causes no further reads', async () => {
  const sockets = await Promise.all(Array.from({ length: 20 }, post))
  await eventually(() => doors.updates.readers === 20)
  for (const socket of sockets) socket.destroy()
  await eventually(() => doors.updates.readers === 0)
})

test('a caller that half-closes its connection while waiting for updates causes no further reads', async () => {
  const socket = await post()
  await eventually(() => doors.updates.readers === 1)
  const closed = once(socket.resume(), 'close')
  socket.end()
  await closed
  await eventually(() => doors.updates.readers === 0)
})

test('streams that are opened and abandoned, however they are left, leave nothing behind', async () => {
  const abandon = async (count: number) => {
    const streams = await Promise.all(Array.from({ length: count }, stream))
    await eventually(() => doors.updates.readers === count)
    const left = streams.map((ws) => once(ws, 'close'))
    for (const [index, ws] of streams.entries()) {
      if (index % 2 === 0) ws.terminate()
      else ws.close()
    }
    await Promise.all(left)
    await eventually(() => doors.updates.readers === 0)
  }
  await abandon(100)
  const before = await heapUsed()
  for (let round = 0; round < 4; round++) await abandon(100)
  expect((await heapUsed()) - before).toBeLessThan(4 * 1024 * 1024)
})

test('503 in plain text: a ledger that says nothing for 20 s, whatever is asked of it', async () => {
  const never = () => new Promise<never>(() => {})
  await using stuck = await openLedgerDoors({
    ledger: (real) => withMembers(real, { checkpoint: never, updates: never }),
  })
  const updateFormat = updatesOf(eventsOf())
  const range = { beginExclusive: 0, endInclusive: 1 }
  const lines: readonly (readonly [line: string, body?: object])[] = [
    ['GET /v2/state/ledger-end'],
    ['POST /v2/updates', { ...range, updateFormat }],
    ['POST /v2/updates/update-by-offset', { offset: 1, updateFormat }],
    ['POST /v2/updates/get-updates-page', { updateFormat }],
  ]
  for (const [line, body] of lines) {
    const answer = stuck.asks(line, body, { as: anyone })
    let isAnswered = false
    void answer.then(() => {
      isAnswered = true
    })
    // The clock may move before the request has arrived, when nothing can time out yet. So the clock moves until the
    // answer is there.
    await eventually(() => {
      stuck.net.clock.advance(20_000)
      return isAnswered
    })
    expect({ line, ...(await answer) }).toMatchObject({
      line,
      status: 503,
      type: 'text/plain; charset=UTF-8',
    })
  }
})
