import { describe, expect, test } from 'vitest'
import { failure, type Heard } from '../localnet/ask.ts'
import {
  type Running,
  type Stage,
  settled,
  startLiveStage,
  startRemote,
  startStage,
} from '../support/daemon.ts'
import { asTimePasses, eventually } from '../support/eventually.ts'
import { nextHangUp } from '../support/next-hang-up.ts'
import { Scans } from '../support/scans.ts'
import { byName, saidIn } from './questions.ts'

const mebi = 1024 * 1024
const path = byName('alice.unverified.cns')

async function misses({ metrics }: Pick<Running, 'metrics'>): Promise<number> {
  return (await metrics()).value('scan_proxy_cache_lookups_total', { tier: 'memory', result: 'miss' })
}

/** Counts the callers that disconnected before they got an answer. Their status is `other`. */
async function left({ metrics }: Stage): Promise<number> {
  const { families } = await metrics()
  const samples = families.get('scan_proxy_http_requests_total')?.samples ?? []
  return samples
    .filter(({ labels }) => labels['status'] === 'other')
    .reduce((sum, { value }) => sum + value, 0)
}

const truthOf = ({ localnet }: Stage) => ({ entry: localnet.truth.entryByName('alice.unverified.cns') })

function longQuestion(nth: number): string {
  return JSON.stringify({
    migration_id: 0,
    record_time: '2026-01-01T00:00:00Z',
    record_time_match: 'exact',
    page_size: 1 + nth,
    templates: Array.from({ length: 1_000 }, (_, template) => `${template}:`.padEnd(1_040, 'x')),
  })
}

async function eachOf<Item>(items: readonly Item[], atOnce: number, run: (item: Item) => Promise<void>) {
  const left = items.values()
  const worker = async () => {
    for (const item of left) await run(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

describe('However many ask for the same,', () => {
  test('it is asked for once', async () => {
    await using stage = await startStage()
    await stage.fault(stage.names, { kind: 'delay', ms: 5 })
    const callers = Array.from({ length: 300 }, () => stage.get(path))
    await eventually(async () => (await misses(stage)) === 300)
    stage.clock.advance(5)
    const heard = await Promise.all(callers)
    for (const answer of heard) expect(saidIn(answer)).toEqual({ status: 200, truth: truthOf(stage) })
    expect(stage.asks('by-name')).toBe(2)
    const how = heard.map(({ headers }) => String(headers['cache-status']))
    expect(how.filter((status) => status.includes('collapsed'))).toHaveLength(299)
  })

  test('all of them get a failure, and the next one asks again', async () => {
    await using stage = await startStage()
    await stage.fault(stage.names, [{ kind: 'delay', ms: 10 }, { kind: 'status' }])
    const callers = Array.from({ length: 50 }, () => stage.get(path))
    await eventually(async () => (await misses(stage)) === 50)
    stage.clock.advance(10)
    // When the first asks have failed, the daemon asks other scans, which are as slow. So the clock must move again.
    await eventually(async () => {
      stage.clock.advance(10)
      return (await stage.metrics()).value('scan_proxy_in_flight_asks') === 0
    })
    for (const { status } of await Promise.all(callers)) expect(status).toBe(502)
    expect(stage.asks('by-name')).toBeLessThanOrEqual(4)
    await stage.fault(stage.names, undefined)
    expect((await stage.get(path)).status).toBe(200)
  })
})

describe('A caller who leaves', () => {
  test('does not end the load that others wait for', async () => {
    await using stage = await startStage()
    await stage.fault(stage.names, { kind: 'delay', ms: 1_000 })
    const leaving = new AbortController()
    const first = failure(stage.get(path, { signal: leaving.signal }))
    await eventually(async () => (await misses(stage)) === 1)
    const second = stage.get(path)
    await eventually(async () => (await misses(stage)) === 2)
    stage.clock.advance(101)
    leaving.abort()
    expect(await first).toBe('ABORT_ERR')
    await eventually(async () => (await left(stage)) === 1)
    expect(saidIn(await asTimePasses(stage.clock, second))).toEqual({ status: 200, truth: truthOf(stage) })
    expect(stage.asks('by-name')).toBeLessThanOrEqual(stage.names.length)
  })

  test('ends it where nobody else waits, and nothing is kept', async () => {
    await using stage = await startStage()
    await stage.fault(stage.names, 'hang')
    const leaving = [new AbortController(), new AbortController()]
    const gone = nextHangUp(...stage.localnet.superValidators.map(({ url }) => url))
    const callers = leaving.map(({ signal }) => failure(stage.get(path, { signal })))
    await eventually(async () => (await misses(stage)) === 2)
    stage.clock.advance(101)
    leaving[0]?.abort()
    await eventually(async () => (await left(stage)) === 1)
    expect((await stage.metrics()).value('scan_proxy_in_flight_asks')).toBeGreaterThan(1)
    leaving[1]?.abort()
    expect(await Promise.all(callers)).toEqual(['ABORT_ERR', 'ABORT_ERR'])
    await gone
    await settled(stage)
    expect((await stage.report('/status')).cache.memory).toMatchObject({ values: 0, absences: 0 })
    await stage.fault(stage.names, undefined)
    expect((await stage.get(path)).headers['cache-status']).toBe('bft-scan-proxy; fwd=miss; stored')
  })
})

describe('However many ask for different pages of updates,', () => {
  test('70 at once are all answered by super validators that take their time', async () => {
    await using stage = await startLiveStage({ superValidators: 13 })
    await stage.fault(stage.names, { kind: 'delay', ms: 400 })
    const pages = Array.from({ length: 70 }, (_, index) =>
      stage.get('/api/scan/v2/updates', {
        method: 'POST',
        body: JSON.stringify({ page_size: index + 1 }),
      }),
    )
    for (const { status } of await Promise.all(pages)) expect(status).toBe(200)
    await eventually(async () => (await stage.metrics()).value('scan_proxy_buffered_bytes') === 0)
  })
})

describe('However many ask for different names,', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => byName(`m${index}.cns`))

  test('1000 at once wait for each other and are all answered', async () => {
    await using stage = await startLiveStage()
    const heard = await Promise.all(names(1_000).map((name) => stage.get(name)))
    expect(heard.filter(({ status }) => status !== 404)).toEqual([])
  })

  test('callers beyond the limit are asked to come back, and no super validator is blamed', async () => {
    await using stage = await startStage({ config: { 'scanClient.maxInFlight': 4 } })
    await stage.fault(stage.names, { kind: 'delay', ms: 5 })
    const callers = names(80).map((name) => stage.get(name))
    // As long as no time passes, no scan answers.
    await Promise.race(callers)
    const heard = await asTimePasses(stage.clock, Promise.all(callers))
    const rejected = heard.filter(({ status }) => status !== 404)
    expect(rejected.length).toBeGreaterThan(0)
    expect(rejected.length).toBeLessThan(80)
    for (const { status, headers } of rejected)
      expect({ status, code: headers['x-bft-error'], after: headers['retry-after'] }).toEqual({
        status: 503,
        code: 'tooManyReads',
        after: '1',
      })
    const labels = { read: 'lookupAnsEntryByName', limit: 'asks' }
    expect((await stage.metrics()).value('scan_proxy_reads_rejected_total', labels)).toBe(rejected.length)
    const msg = 'a read failed because this daemon is at its own limit of concurrent work'
    expect(stage.lines().filter((line) => line['msg'] === msg)).toMatchObject([{ level: 'warn', ...labels }])
  })
})

describe('Misses have a budget a client address:', () => {
  test('callers beyond it learn when to come back, hits are not limited, and time restores it', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using remote = await startRemote(scans.urls, { 'http.missesPerSecond': 2 })
    const statusOf = async (name: string) => (await remote.get(byName(name))).status
    for (const name of ['1', '2', '3', '4']) expect(await statusOf(name)).toBe(200)
    const heard = await remote.get(byName('5'))
    expect(heard).toMatchObject({ status: 429, headers: { 'retry-after': '1', 'cache-control': 'no-store' } })
    expect(JSON.parse(heard.text)).toEqual({
      error: 'Too many requests that are not in the cache; try again in 1 s.',
    })
    for (let round = 0; round < 20; round++) expect(await statusOf('1')).toBe(200)
    expect((await remote.get('/readyz')).status).toBe(200)
    expect((await remote.get(byName('%ff'.repeat(3000)))).status).toBe(400)
    expect((await remote.metrics()).value('scan_proxy_misses_limited_total')).toBe(1)
    expect(scans.nodes.reduce((sum, node) => sum + node.count('/by-name/5'), 0)).toBe(0)
    remote.clock.advance(1_000)
    expect([await statusOf('5'), await statusOf('6'), await statusOf('7')]).toEqual([200, 200, 429])
  })

  test('a caller that has used it up gets stale answers, and causes no refresh of them', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using remote = await startRemote(scans.urls, { 'http.missesPerSecond': 2 })
    const asked = () => scans.nodes.reduce((sum, node) => sum + node.count('/by-name/1'), 0)
    await remote.get(byName('1'))
    const before = asked()
    remote.clock.advance(31_000)
    for (const name of ['2', '3', '4', '5']) expect((await remote.get(byName(name))).status).toBe(200)
    for (const method of ['GET', 'HEAD']) {
      const heard = await remote.get(byName('1'), { method })
      expect(heard).toMatchObject({ status: 200, headers: { 'cache-status': 'bft-scan-proxy; hit; ttl=-1' } })
    }
    expect(asked()).toBe(before)
    remote.clock.advance(1_000)
    expect((await remote.get(byName('1'))).headers['cache-status']).toBe('bft-scan-proxy; hit; ttl=-2')
    await eventually(async () => asked() > before)
  })

  test('none on a localnet', async () => {
    await using stage = await startStage()
    await eachOf([...Array(150).keys()], 10, async (index) => {
      expect((await stage.get(byName(`nobody-${index}`))).status).toBe(404)
    })
  })
})

describe('Memory is bounded:', () => {
  test('a caller who makes up names without end pushes no good entry out of the cache', async () => {
    const maxBytes = 96 * 1024
    await using stage = await startStage({ config: { 'cache.maxBytes': '96KiB' } })
    const good = stage.localnet.truth
      .entries('', 1000)
      .filter(({ contract_id }) => contract_id !== null)
      .slice(0, 30)
      .map(({ name }) => byName(name))
    for (const entry of good) expect((await stage.get(entry)).status).toBe(200)
    await eachOf([...Array(400).keys()], 20, async (index) => {
      const name = index % 4 === 0 ? '名'.repeat(index) : `made-up-${index}`
      expect((await stage.get(byName(name))).status).toBe(404)
      const { value } = index % 20 === 0 ? await stage.metrics() : { value: () => 0 }
      expect(value('scan_proxy_cache_bytes', { partition: 'absences' })).toBeLessThanOrEqual(maxBytes / 4)
    })
    const { value } = await stage.metrics()
    expect(value('scan_proxy_cache_bytes', { partition: 'absences' })).toBeGreaterThan(maxBytes / 8)
    expect(value('scan_proxy_cache_bytes', { partition: 'values' })).toBeLessThanOrEqual((maxBytes * 3) / 4)
    for (const entry of good) {
      expect((await stage.get(entry)).headers['cache-status']).toBe('bft-scan-proxy; hit; ttl=30')
    }
  })

  test.each([
    ['different questions', (nth: number) => nth],
    ['the same question', () => 0],
  ])(
    'callers that ask %s of a megabyte while scans hang get 503, and short questions are answered',
    async (_, variant) => {
      await using stage = await startStage()
      await stage.fault(stage.names, { kind: 'hang', only: ['acs'] })
      const question = (nth: number) => longQuestion(variant(nth))
      const callers = Array.from({ length: 40 }, (_, nth) =>
        stage.get('/api/scan/v2/state/acs', { method: 'POST', body: question(nth) }),
      )
      const rejected = () =>
        stage
          .metrics()
          .then(({ value }) =>
            value('scan_proxy_reads_rejected_total', { read: 'getAcsSnapshotAtV2', limit: 'reads' }),
          )
      await eventually(async () => (await misses(stage)) === 40 && (await rejected()) > 10)
      expect((await stage.get(path)).status).toBe(200)
      const heard = await asTimePasses(stage.clock, Promise.all(callers))
      const refused = heard.filter(({ status }) => status === 503)
      expect(refused).toHaveLength(await rejected())
      expect(refused.length).toBeLessThan(30)
      for (const { headers, text } of refused) {
        expect(headers).toMatchObject({ 'x-bft-error': 'tooManyReads', 'retry-after': '1' })
        expect(JSON.parse(text)).toEqual({ error: 'As many reads as may run at once are running.' })
      }
      await stage.fault(stage.names, undefined)
      await eventually(async () => {
        stage.clock.advance(1_000)
        return (await stage.metrics()).value('scan_proxy_in_flight_asks') === 0
      })
      const body = longQuestion(40)
      expect((await stage.get('/api/scan/v2/state/acs', { method: 'POST', body })).status).toBe(404)
    },
  )

  test('a long question counts until the last scan has answered or its time is over', async () => {
    await using stage = await startStage({ config: { 'scanClient.fanout': 'all' } })
    await stage.fault(stage.names.slice(0, 1), { kind: 'hang', only: ['acs'] })
    const statusOf = async (nth: number) =>
      (await stage.get('/api/scan/v2/state/acs', { method: 'POST', body: longQuestion(nth) })).status
    let answered = 0
    while (answered < 40 && (await statusOf(answered)) === 404) answered++
    expect(await statusOf(answered)).toBe(503)
    await eventually(async () => {
      stage.clock.advance(1_000)
      return (await stage.metrics()).value('scan_proxy_in_flight_asks') === 0
    })
    expect(await statusOf(answered)).toBe(404)
  })

  test('4 liars that send 32 MiB each time, under 100 concurrent misses', async () => {
    const maxBuffered = 64 * mebi
    await using stage = await startLiveStage({
      superValidators: 13,
      config: { 'scanClient.maxBufferedBytes': '64MiB' },
    })
    await stage.fault(stage.names.slice(0, 4), { kind: 'huge', framing: 'chunked', bytes: 32 * mebi })
    const names = stage.localnet.truth.entries('', 1000).map(({ name }) => name)
    const questions = [
      ...names.slice(0, 60).map(byName),
      ...Array.from({ length: 40 }, (_, index) => `/v0/ans-entries?page_size=${index + 900}`),
    ]
    const before = process.memoryUsage.rss()
    let most = 0
    let mostMemory = 0
    const answered: Heard[] = []
    const callers = questions.map(async (question) => {
      answered.push(await stage.get(question))
    })
    await eventually(async () => {
      const { value } = await stage.metrics()
      most = Math.max(most, value('scan_proxy_buffered_bytes'))
      mostMemory = Math.max(mostMemory, process.memoryUsage.rss())
      return answered.length === callers.length
    })
    await Promise.all(callers)
    for (const { status } of answered) expect(status).toBe(200)
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(maxBuffered)
    expect(mostMemory - before).toBeLessThan(400 * mebi)
    await settled(stage)
    expect((await stage.metrics()).value('scan_proxy_buffered_bytes')).toBe(0)
  })
})
