import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { Budget } from '../../src/scan/in-flight-budget.ts'
import { Ask, type AskHost } from '../../src/scan/node.ask.ts'
import { RateLimit } from '../../src/scan/rate-limit.ts'
import { RequestGroup } from '../../src/scan/request-group.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'

class Undici {
  paused = 0
  resumed = 0
  readonly served = true
  readonly client = { dispatch: () => true }
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
  return { ask, undici }
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
