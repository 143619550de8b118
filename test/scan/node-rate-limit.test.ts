import { expect, onTestFinished, test } from 'vitest'
import { Budget } from '../../src/core/scan/in-flight-budget.ts'
import { RequestGroup, type ScanRequest } from '../../src/core/scan/node.ts'
import { createUndiciScanNode } from '../../src/core/scan/node.undici.ts'
import { RateLimit, type RateLimitOptions } from '../../src/core/scan/rate-limit.ts'
import { type Behaviour, HostileServer, response, saying } from '../support/hostile-server.ts'
import { ManualClock } from '../support/manual-clock.ts'

const never = new AbortController().signal
const request: ScanRequest = { method: 'GET', path: '/api/scan/version', maxBytes: 65_536, timeoutMs: 5000 }
const heldBack = expect.objectContaining({ kind: 'fault', fault: 'held-back' })

async function meet(behaviour: Behaviour, options: RateLimitOptions = {}, slots = 8) {
  const server = await HostileServer.listen(behaviour)
  const clock = new ManualClock()
  const budget = new Budget({ slots, bytes: 1_048_576 })
  const rateLimit = new RateLimit(options, clock)
  const node = createUndiciScanNode(
    { url: server.url, budget, rateLimit, allowHttp: true, allowPrivate: true },
    { clock },
  )
  onTestFinished(async () => {
    await node[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })
  return { server, clock, budget, node, ask: () => node.ask(request, new RequestGroup(never, clock)) }
}

function slowDown(seconds: number): Buffer {
  return response('{}', { status: '429 Too Many Requests', headers: [`retry-after: ${seconds}`] })
}

test('it also counts if the rest of the response never comes', async () => {
  const head = 'HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\ncontent-length: 9\r\n\r\n'
  const { ask, server, clock } = await meet((socket) => {
    socket.write(head)
    socket.destroySoon()
  })
  expect(await ask()).toMatchObject({ fault: 'truncated' })
  clock.advance(4_999)
  expect(await ask()).toEqual(heldBack)
  expect(server.requests.length).toBe(1)
})

test('a node gets no more asks than its rate allows, those for warmth included; others wait for their turn', async () => {
  const { ask, server, clock, budget, node } = await meet(saying(response('{}')), { asksPerSecond: 10 }, 20)
  node.warm()
  const asks = Array.from({ length: 12 }, ask)
  const early = await Promise.all(asks.slice(0, 9))
  expect(early.map(({ kind }) => kind)).toEqual(Array(9).fill('response'))
  expect(server.requests.length).toBe(10)
  clock.advance(999)
  expect([server.requests.length, budget.inFlight]).toEqual([10, 3])
  clock.advance(1)
  for (const outcome of await Promise.all(asks)) if (outcome.kind === 'response') outcome.release()
  expect(server.requests.length).toBe(13)
  expect(budget).toMatchObject({ inFlight: 0, waiting: 0, reservedBytes: 0 })
  expect(clock.waiting).toBe(0)
})

test.each([
  ['its caller leaves', (_clock: ManualClock, leave: () => void) => leave(), 'gone'],
  ['its time is up', (clock: ManualClock) => clock.advance(20), 'held-back: not its turn within 20 ms'],
])('an ask that waits for its turn lets go of its room when %s', async (_what, happen, outcome) => {
  const { ask, server, clock, budget, node } = await meet(saying(response('{}')), { asksPerSecond: 10 }, 20)
  for (const answer of await Promise.all(Array.from({ length: 10 }, ask)))
    if (answer.kind === 'response') answer.release()
  const caller = new AbortController()
  const late = node.ask({ ...request, timeoutMs: 20 }, new RequestGroup(caller.signal, clock)).then(
    (answer) => (answer.kind === 'fault' ? `${answer.fault}: ${answer.detail}` : 'answered'),
    (reason: Error) => reason.message,
  )
  happen(clock, () => caller.abort(new Error('gone')))
  expect(await late).toBe(outcome)
  expect(budget).toMatchObject({ inFlight: 0, waiting: 0, reservedBytes: 0 })
  clock.advance(1_000)
  expect([clock.waiting, server.requests.length]).toEqual([0, 10])
})

test('a turn that comes in a pause is none', async () => {
  const { ask, server, clock, budget } = await meet(saying(response('{}')), { asksPerSecond: 10 }, 20)
  server.behave((socket, { nth }) =>
    socket.write(nth === 0 && server.requests.length === 10 ? slowDown(60) : response('{}')),
  )
  const asks = Array.from({ length: 11 }, ask)
  await Promise.all(asks.slice(0, 10))
  clock.advance(1_000)
  expect(await asks[10]).toEqual(heldBack)
  for (const outcome of await Promise.all(asks)) if (outcome.kind === 'response') outcome.release()
  expect(server.requests.length).toBe(10)
  expect(budget).toMatchObject({ inFlight: 0, waiting: 0, reservedBytes: 0 })
})

test('asks that wait for room are let go where a pause is asked for meanwhile', async () => {
  const { ask, server, budget } = await meet(saying(slowDown(60)), {}, 1)
  const outcomes = await Promise.all([ask(), ask(), ask()])
  expect(outcomes.map(({ kind }) => kind)).toEqual(['response', 'fault', 'fault'])
  expect(outcomes[2]).toEqual(heldBack)
  for (const outcome of outcomes) if (outcome.kind === 'response') outcome.release()
  expect(server.requests.length).toBe(1)
  expect(budget).toMatchObject({ inFlight: 0, waiting: 0, reservedBytes: 0 })
})
