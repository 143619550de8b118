import { Agent } from 'node:http'
import { expect, test } from 'vitest'
import { byName } from '../daemon/questions.ts'
import { startLiveStage } from '../support/daemon.ts'
import { asking } from './verified.ts'

const askedAtOnce = 200
const flood = 2_000

test('2,000 requests that all want new signatures are answered, each signed or counted, beside plain ones', async () => {
  await using stage = await startLiveStage({ config: { 'http.missesPerSecond': 'none' } })
  const path = (index: number) => `${byName('alice.unverified.cns')}?n=${index}`
  await stage.get(path(0))
  using connections = new DisposableStack()
  const agent = connections.adopt(new Agent({ keepAlive: true }), (each) => each.destroy())
  const counts = { signed: 0, unsigned: 0, plain: 0 }
  let next = 0
  const one = async () => {
    for (let index = next++; index < flood; index = next++) {
      const wants = index % 10 !== 0
      const { status, headers } = await stage.get(path(index), wants ? { headers: asking, agent } : { agent })
      expect(status).toBe(200)
      counts[wants ? (headers['signature'] === undefined ? 'unsigned' : 'signed') : 'plain']++
    }
  }
  await Promise.all(Array.from({ length: askedAtOnce }, one))
  expect({ wanted: counts.signed + counts.unsigned, plain: counts.plain }).toEqual({
    wanted: 1_800,
    plain: 200,
  })
  expect(counts.signed).toBeGreaterThan(0)
  expect((await stage.metrics()).value('scan_proxy_receipts_unsigned_total')).toBe(counts.unsigned)
}, 120_000)
