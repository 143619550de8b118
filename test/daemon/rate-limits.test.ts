import { describe, expect, test } from 'vitest'
import { type Stage, settled, startStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { asksOf, byName, nothingKept } from './questions.ts'

const second = 1_000
const alice = byName('alice.unverified.cns')
const nobody = byName('nobody.unverified.cns')
const info = '/registry/metadata/v1/info'

describe.each([
  { superValidators: 4, f: 1 },
  { superValidators: 13, f: 4 },
])(
  'With $superValidators super validators, f of which are behind a rate limit:',
  ({ superValidators, f }) => {
    const config = { ...nothingKept, 'scanClient.fanout': 'all' }

    test('they are not asked until the time they named, others are, and no answer changes', async () => {
      await using stage = await startStage({ superValidators, config })
      const limited = stage.names.slice(0, f)
      await stage.fault(limited, { kind: 'rate-limit', retryAfter: 90 })
      expect((await stage.get(alice)).status).toBe(200)
      await settled(stage)
      const before = asksOf(stage, limited)
      for (const path of [alice, nobody, alice, nobody]) {
        const heard = await stage.get(path)
        expect(heard.status).toBe(path === alice ? 200 : 404)
        for (const name of limited) expect(heard.headers['x-bft-agreed']).not.toContain(`"${name}"`)
      }
      for (let seconds = 0; seconds < 80; seconds += 8) {
        stage.clock.advance(8 * second)
        await settled(stage)
      }
      expect(asksOf(stage, limited), 'nor are they probed').toBe(before)
      const { value } = await stage.metrics()
      for (const sv of limited) {
        const read = 'lookupAnsEntryByName'
        expect(value('scan_proxy_scan_requests_total', { sv, outcome: 'held-back' })).toBeGreaterThan(0)
        expect(value('scan_proxy_votes_total', { sv, read, vote: 'dissent' })).toBe(0)
        expect(value('scan_proxy_votes_total', { sv, read, vote: 'fault' })).toBeGreaterThan(0)
      }
      await stage.fault(limited, undefined)
      stage.clock.advance(10 * second)
      await stage.get(alice)
      await settled(stage)
      for (const name of limited) expect(asksOf(stage, [name])).toBeGreaterThan(before / f)
    })

    test('those that are asked first are others, so that nobody is waited for', async () => {
      await using stage = await startStage({ superValidators, config: nothingKept })
      const limited = stage.names.slice(0, f)
      await stage.fault(limited, { kind: 'rate-limit', retryAfter: 600 })
      while (asksOf(stage, limited) === 0) await stage.get(alice)
      for (let count = 0; count < 20; count++) await stage.get(alice)
      await settled(stage)
      const before = stage.asks()
      for (let count = 0; count < 20; count++) expect((await stage.get(alice)).status).toBe(200)
      await settled(stage)
      expect(stage.asks() - before).toBe(20 * (f + 1))
    })
  },
)

test('where too few are left the error says so, and when to come back', async () => {
  await using stage = await startStage({ config: { ...nothingKept, 'scanClient.fanout': 'all' } })
  await stage.fault(stage.names.slice(0, 3), { kind: 'rate-limit', retryAfter: 30 })
  await stage.get(alice)
  await settled(stage)
  const heard = await stage.get(alice)
  expect(heard).toMatchObject({ status: 502, headers: { 'retry-after': '30', 'cache-control': 'no-store' } })
  expect(JSON.parse(heard.text).error).toMatch(
    /^Only [01] scan instances can be used \(out of 4 configured ones\), which are fewer than the necessary 2 to achieve BFT guarantees\. 3 of them are not asked now: they asked for a pause, or were asked as often as they may be\.$/,
  )
})

test('a read that failed because of limits is no evidence against anybody', async () => {
  await using stage = await startStage({ config: { ...nothingKept, 'scanClient.fanout': 'all' } })
  const limited = stage.names.slice(0, 3)
  await stage.fault(limited, { kind: 'rate-limit', retryAfter: 30 })
  await stage.get(alice)
  await settled(stage)
  const faults = async () => {
    const { value } = await stage.metrics()
    const labels = { read: 'lookupAnsEntryByName', vote: 'fault' }
    return limited.map((sv) => value('scan_proxy_votes_total', { sv, ...labels }))
  }
  const before = [(await stage.report('/evidence')).cases.length, await faults()]
  for (let count = 0; count < 3; count++) expect((await stage.get(alice)).status).toBe(502)
  await settled(stage)
  expect([(await stage.report('/evidence')).cases.length, await faults()]).toEqual(before)
})

test('the pause of one node alone decides neither the error nor the time to retry that a caller gets', async () => {
  await using stage = await startStage({
    superValidators: 7,
    config: { ...nothingKept, 'scanClient.fanout': 'all' },
  })
  await stage.fault(stage.names.slice(0, 4), { kind: 'hang' })
  await stage.fault(stage.names.slice(4, 5), { kind: 'rate-limit', retryAfter: 20 })
  await stage.fault(stage.names.slice(5, 7), { kind: 'rate-limit', retryAfter: 500 })
  const notAsked = async () => {
    const { value } = await stage.metrics()
    const count = (sv: string, outcome: string) => value('scan_proxy_scan_requests_total', { sv, outcome })
    return stage.names.reduce((sum, sv) => sum + count(sv, 'rate-limited') + count(sv, 'held-back'), 0)
  }
  const askWhile = async (hanging: number) => {
    const before = await notAsked()
    const heard = stage.get(alice)
    await eventually(async () => (await notAsked()) === before + 7 - hanging)
    stage.clock.advance(5 * second)
    return heard
  }
  await askWhile(4)
  const three = await askWhile(4)
  expect(three).toMatchObject({ status: 502, headers: { 'retry-after': '60' } })
  expect(JSON.parse(three.text).error).toContain('3 of them are not asked now')
  await stage.fault(stage.names.slice(4, 6), { kind: 'hang' })
  stage.clock.advance(500 * second)
  await askWhile(6)
  const fewer = await askWhile(6)
  expect(fewer.status).toBe(502)
  expect(fewer.headers['retry-after']).toBeUndefined()
})

/**
 * Resolves with the counts once they have not changed for 20 turns of the event loop, because no request is in progress
 * then.
 */
async function countsAtRest(count: () => readonly number[]): Promise<readonly number[]> {
  let counts = count()
  for (let turn = 0; turn < 20; turn++) {
    await new Promise(setImmediate)
    const now = count()
    if (now.some((each, at) => each !== counts[at])) turn = 0
    counts = now
  }
  return counts
}

test('a daemon whose callers ask without end is never the reason for a 429', async () => {
  await using stage = await startStage({
    config: { ...nothingKept, 'scanClient.asksPerSecond': 40, 'scanClient.registryAsksPerMinute': 8 },
  })
  stage.clock.advance(60 * second)
  await settled(stage)
  const registry = stage.names.map((name) => stage.localnet.asks(name))
  const statuses = new Set<number>()
  for (let count = 0; count < 20; count++) statuses.add((await stage.get(info)).status)
  expect(statuses).toEqual(new Set([200, 502]))
  for (const [at, name] of stage.names.entries())
    expect(stage.localnet.asks(name) - (registry[at] as number)).toBeLessThanOrEqual(8)
  const asksNow = () => stage.names.map((name) => stage.localnet.asks(name))
  const history: (readonly number[])[] = [asksNow()]
  let left = 60
  const asked = Array.from({ length: left }, (_, at) =>
    stage.get(byName(`nobody-${at}.unverified.cns`)).finally(() => left--),
  )
  while (left > 0) {
    history.push(await countsAtRest(asksNow))
    stage.clock.advance(100)
  }
  for (const { status } of await Promise.all(asked)) expect(status).toBe(404)
  expect(history.length, 'they took longer than a moment').toBeGreaterThan(3)
  for (const [at, counts] of history.entries()) {
    const before = history[Math.max(0, at - 10)] as number[]
    for (const [node, count] of counts.entries())
      expect(count - (before[node] as number)).toBeLessThanOrEqual(40)
  }
})

describe('/status says of each super validator', () => {
  const pauses = async (stage: Stage) =>
    (await stage.report('/status')).roster.superValidators.map(
      ({ pause }: { readonly pause: unknown }) => pause,
    )

  test('until when it is left alone because it asked for that', async () => {
    await using stage = await startStage({ config: { ...nothingKept, 'scanClient.fanout': 'all' } })
    expect(await pauses(stage)).toEqual([null, null, null, null])
    await stage.fault(['sv-2'], { kind: 'rate-limit', retryAfter: 90 })
    const until = new Date(stage.clock.wall() + 90 * second).toISOString()
    await stage.get(alice)
    await settled(stage)
    expect(await pauses(stage)).toEqual([null, { why: 'retry-after', until }, null, null])
    stage.clock.advance(89 * second)
    expect((await pauses(stage))[1]).toEqual({ why: 'retry-after', until })
    await stage.fault(['sv-2'], undefined)
    stage.clock.advance(second)
    expect((await pauses(stage))[1]).toBeNull()
  })

  test('until when a limit is used up, and which', async () => {
    const config = { ...nothingKept, 'scanClient.fanout': 'all', 'scanClient.registryAsksPerMinute': 8 }
    await using stage = await startStage({ config })
    for (let count = 0; count < 16; count++) await stage.get(info)
    await settled(stage)
    const [pause] = await pauses(stage)
    expect(pause).toEqual({ why: 'registryAsksPerMinute', until: expect.any(String) })
    const leftMs = Date.parse(pause.until) - stage.clock.wall()
    expect(leftMs).toBeGreaterThan(second)
    stage.clock.advance(leftMs)
    expect(await pauses(stage)).toEqual([null, null, null, null])
  })
})
