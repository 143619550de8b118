import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { describe, expect, test } from 'vitest'
import { Budget, Reservation } from '../../src/scan/in-flight-budget.ts'
import { Ask, type AskHost } from '../../src/scan/node.ask.ts'
import { RequestGroup } from '../../src/scan/node.ts'
import { RateLimit } from '../../src/scan/rate-limit.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'

class Undici {
  readonly dispatched: Dispatcher.DispatchOptions[] = []
  paused = 0
  resumed = 0
  readonly served = true
  readonly client = {
    dispatch: (options: Dispatcher.DispatchOptions) => {
      this.dispatched.push(options)
      return true
    },
  }
  readonly controller = {
    aborted: false,
    paused: false,
    reason: null,
    abort() {},
    pause: () => {
      this.paused++
    },
    resume: () => {
      this.resumed++
    },
  }
}

function start(maxBytes: number) {
  const undici = new Undici()
  const clock = new ManualClock()
  const host: AskHost = {
    budget: new Budget({ slots: 2, bytes: maxBytes }),
    rateLimit: new RateLimit({}, clock),
    clock,
    origin: 'http://127.0.0.1:1',
    prefix: '',
    headersFor: () => [],
    take: () => undici,
    give() {},
    settled() {},
  }
  const ask = new Ask(
    { method: 'GET', path: '/', maxBytes, timeoutMs: 5000 },
    new RequestGroup(new AbortController().signal, clock),
    host,
  )
  ask.start()
  return { ask, undici, budget: host.budget }
}

test('a body that comes faster than it is decoded is paused, and resumed when it was', async () => {
  const noise = randomBytes(1_000_000)
  const encoded = gzipSync(noise)
  const { ask, undici } = start(2_000_000)
  ask.onRequestStart(undici.controller)
  ask.onResponseStart(undici.controller, 200, { 'content-encoding': 'gzip' })
  for (let at = 0; at < encoded.length; at += 65_536) {
    ask.onResponseData(undici.controller, encoded.subarray(at, at + 65_536))
    await eventually(() => undici.resumed >= undici.paused)
  }
  expect(undici.paused).toBe(Math.floor(encoded.length / 65_536))
  ask.onResponseEnd()
  expect(await ask.promise).toMatchObject({ status: 200, body: noise })
})

test('an ask is not dispatched a third time, whatever the connection says of itself', async () => {
  const { ask, undici } = start(1000)
  for (let attempt = 0; attempt < 2; attempt++) {
    ask.onRequestStart(undici.controller)
    ask.onResponseError(undici.controller, Object.assign(new Error('gone'), { code: 'ECONNRESET' }))
    await new Promise(setImmediate)
  }
  expect(await ask.promise).toMatchObject({ kind: 'fault', fault: 'reset', detail: 'gone', resent: true })
  expect(undici.dispatched).toHaveLength(2)
})

describe('a body that waits for room', () => {
  const body = randomBytes(100_000)

  /** Starts an ask whose body must wait, because another complete body takes the room of the budget. */
  function wait() {
    const { ask, undici, budget } = start(1_000_000)
    budget.request({ bytes: 1, admitted() {} })
    const other = new Reservation(budget, 1, { granted() {} })
    other.growTo(2_000_000)
    other.settle(1_500_000)
    ask.onRequestStart(undici.controller)
    ask.onResponseStart(undici.controller, 200, {})
    ask.onResponseData(undici.controller, body)
    expect([undici.paused, budget.paused]).toEqual([1, 1])
    return { ask, undici, budget, other }
  }

  test('is read on when there is', async () => {
    const { ask, undici, other } = wait()
    other.settle(0)
    expect(undici.resumed).toBe(0)
    await Promise.resolve()
    expect(undici.resumed).toBe(1)
    ask.onResponseData(undici.controller, body)
    ask.onResponseEnd()
    expect(await ask.promise).toMatchObject({ status: 200, body: Buffer.concat([body, body]) })
  })

  test('is whole when there is, where its connection ended meanwhile', async () => {
    const { ask, other, budget } = wait()
    ask.onResponseEnd()
    expect(budget.reservedBytes).toBe(1_500_000 + 65_536)
    other.settle(0)
    expect(await ask.promise).toMatchObject({ status: 200, body })
    expect(budget.reservedBytes).toBe(body.length)
  })

  test('is our lack where more of it comes all the same', async () => {
    const { ask, undici, other, budget } = wait()
    ask.onResponseData(undici.controller, body)
    expect(await ask.promise).toMatchObject({ fault: 'busy' })
    other.settle(0)
    expect(budget).toMatchObject({ reservedBytes: 0, paused: 0 })
    await Promise.resolve()
    expect(undici.resumed).toBe(0)
  })
})
