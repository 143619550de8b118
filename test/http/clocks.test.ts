import { request } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import { byName } from '../daemon/questions.ts'
import type { Heard } from '../localnet/ask.ts'
import { asking } from '../receipts/verified.ts'
import { startStage } from '../support/daemon.ts'
import { asTimePasses } from '../support/eventually.ts'

const hourMs = 3_600_000
const alice = byName('alice.unverified.cns')
const amuletRules = '/api/scan/v0/amulet-rules'

const stage = await startStage()

afterAll(() => stage[Symbol.asyncDispose]())

function facts({ status, headers }: Heard) {
  const at = Number(/at=@(\d+)/.exec(String(headers['x-bft-receipt']))?.[1])
  return {
    status,
    age: Number(headers['age']),
    cache: String(headers['cache-status']).replace(/^bft-scan-proxy; |; ttl.*$/g, ''),
    signedAgo: Math.floor(stage.clock.wall() / 1000) - at,
  }
}

const ask = async (path = alice, headers = {}) =>
  facts(await stage.get(path, { headers: { ...asking, ...headers } }))

const fresh = { status: 200, age: 0, signedAgo: 0 }

describe('while the machine sleeps, and its monotonic clock stands still,', () => {
  test('an answer grows older: its age, its receipt and x-bft-not-before say so', async () => {
    await ask()
    stage.clock.sleep(20_000)
    expect(await ask()).toEqual({ status: 200, age: 20, cache: 'hit', signedAgo: 20 })
    const since = `@${Math.floor(stage.clock.wall() / 1000) - 10}`
    const later = await ask(alice, { 'x-bft-not-before': since })
    expect(later).toEqual({ ...fresh, cache: 'fwd=request; stored' })
  })

  test.each([alice, byName('nobody.unverified.cns')])(
    'what is cached ends within three hours, so nothing old is served or signed as new: %s',
    async (path) => {
      const { status } = await ask(path)
      stage.clock.sleep(3 * hourMs)
      expect(await ask(path)).toEqual({ ...fresh, status, cache: 'fwd=stale; stored' })
      expect(await ask(path)).toEqual({ ...fresh, status, cache: 'hit' })
    },
  )

  test('a request whose body comes afterwards gets no answer from before', async () => {
    await stage.get(amuletRules, { method: 'POST', body: '{}' })
    const sent = request(`${stage.daemon.http}${amuletRules}`, {
      method: 'POST',
      headers: { ...asking, expect: '100-continue' },
    })
    const answered = new Promise<Heard>((resolve, reject) => {
      sent.on('error', reject)
      sent.on('response', (response) => {
        const { statusCode: status = 0, headers } = response
        response.resume()
        response.on('end', () => resolve({ status, headers } as Heard))
      })
    })
    await new Promise<void>((resolve) => sent.on('continue', resolve))
    stage.clock.sleep(3 * hourMs)
    sent.end('{}')
    expect(facts(await answered)).toEqual({ ...fresh, cache: 'fwd=stale; stored' })
  })

  test('replies that may have waited for it to wake are not served as new', async () => {
    await stage.fault(stage.names, { kind: 'delay', ms: 500 })
    const path = byName('carol.unverified.cns')
    const arrived = Promise.any(stage.names.map((name) => stage.localnet.nextRequest(name, 'by-name')))
    const heard = stage.get(path)
    await arrived
    stage.clock.sleep(3 * hourMs)
    await stage.fault(stage.names, undefined)
    const { status, headers } = await asTimePasses(stage.clock, heard)
    expect([status, headers['x-bft-error'], headers['retry-after']]).toEqual([502, 'behind', '1'])
    expect(await ask(path)).toEqual({ ...fresh, cache: 'fwd=miss; stored' })
  })
})

test.each([-3 * hourMs, -61_000, 61_000])(
  'when the wall clock is set by %i ms, what was cached before is asked for again',
  async (ms) => {
    await ask()
    stage.clock.setWall(stage.clock.wall() + ms)
    expect(await ask()).toEqual({ ...fresh, cache: 'fwd=stale; stored' })
  },
)
