import { describe, expect, test } from 'vitest'
import { createMetrics } from '../../src/base/telemetry/metrics.ts'
import { parseExposition, sampleValue } from './exposition-text.ts'

const reads = ['lookupAnsEntryByName', 'listAnsEntries'] as const
const fresh = () => createMetrics({ version: '1.2.3', reads })
const scraped = async (metrics: ReturnType<typeof fresh>) => parseExposition((await metrics.scrape()).body)

describe('the exposition', () => {
  test('is plain text unless OpenMetrics is preferred, and stays so afterwards', async () => {
    const metrics = createMetrics({ version: '1.2.3', reads, processMetrics: true })
    metrics.misses_limited_total.inc(2)
    const prometheus =
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.2'
    const open = await metrics.scrape(prometheus)
    expect(open.contentType).toMatch(/^application\/openmetrics-text; version=1\.0\.0/)
    expect(open.body.endsWith('\n# EOF\n')).toBe(true)
    const openFamilies = parseExposition(open.body)
    expect(openFamilies.get('scan_proxy_misses_limited')?.type).toBe('counter')
    expect(sampleValue(openFamilies, 'scan_proxy_misses_limited_total')).toBe(2)
    expect(sampleValue(openFamilies, 'process_cpu_seconds_total')).toBeGreaterThan(0)

    for (const accept of [
      undefined,
      '*/*',
      'text/plain',
      'application/openmetrics-text;q=0.2,text/plain;q=0.9',
    ]) {
      const plain = await metrics.scrape(accept)
      expect(plain.contentType).toMatch(/^text\/plain; version=0\.0\.4/)
      const families = parseExposition(plain.body)
      expect(families.get('scan_proxy_misses_limited_total')?.type).toBe('counter')
      expect(sampleValue(families, 'process_cpu_seconds_total')).toBeGreaterThan(0)
    }
  })

  test("has Node's own metrics, unprefixed, only where they are wanted", async () => {
    const without = (await fresh().scrape()).body
    expect(without).not.toContain('nodejs_')
    const { body } = await createMetrics({ version: '1.2.3', reads, processMetrics: true }).scrape()
    expect(parseExposition(body).get('nodejs_eventloop_lag_p99_seconds')?.type).toBe('gauge')
    const gauges = [...parseExposition(body)].filter(([, { type }]) => type !== 'counter')
    expect(gauges.map(([name]) => name).filter((name) => name.endsWith('_total'))).toEqual([])
  })

  test('says what runs', async () => {
    const families = await scraped(fresh())
    expect(sampleValue(families, 'scan_proxy_build_info', { version: '1.2.3', node: process.version })).toBe(
      1,
    )
  })
})

describe('counters', () => {
  test('of few combinations start at 0, so that a first increase is seen', async () => {
    const families = await scraped(fresh())
    expect(sampleValue(families, 'scan_proxy_misses_limited_total')).toBe(0)
    expect(sampleValue(families, 'scan_proxy_cache_lookups_total', { tier: 'redis', result: 'error' })).toBe(
      0,
    )
    expect(
      sampleValue(families, 'scan_proxy_reads_total', { read: 'listAnsEntries', outcome: 'disputed' }),
    ).toBe(0)
    expect(families.get('scan_proxy_votes_total')?.samples).toEqual([])
  })
})

describe('gauges', () => {
  test('have no sample before they are set', async () => {
    const metrics = fresh()
    expect((await scraped(metrics)).get('scan_proxy_redis_up')?.samples).toEqual([])
    metrics.redis_up.set(0)
    expect(sampleValue(await scraped(metrics), 'scan_proxy_redis_up')).toBe(0)
  })

  test('that are read are read at every scrape, and left out where that fails', async () => {
    const metrics = fresh()
    let bytes: number | undefined = 7
    metrics.cache_bytes.with({ partition: 'values' }).readFrom(() => bytes)
    metrics.in_flight_asks.readFrom(() => {
      throw new Error('closed')
    })
    const value = async () =>
      sampleValue(await scraped(metrics), 'scan_proxy_cache_bytes', { partition: 'values' })
    expect(await value()).toBe(7)
    bytes = 8
    expect(await value()).toBe(8)
    bytes = undefined
    expect(await value()).toBeUndefined()
    expect((await scraped(metrics)).get('scan_proxy_in_flight_asks')?.samples).toEqual([])
  })
})

describe('labels', () => {
  test('outside their set are other', async () => {
    const metrics = fresh()
    metrics.http_requests_total
      .with({ route: '/v0/never-mounted', method: 'BREW' as 'GET', status: '799' })
      .inc()
    metrics.votes_total.with({ sv: 'stranger', read: '../../etc', vote: 'agree' }).inc()
    const families = await scraped(metrics)
    const others = { route: 'other', method: 'other', status: 'other' }
    expect(sampleValue(families, 'scan_proxy_http_requests_total', others)).toBe(1)
    expect(
      sampleValue(families, 'scan_proxy_votes_total', { sv: 'other', read: 'other', vote: 'agree' }),
    ).toBe(1)
  })

  test('name a super validator until it is removed, and then again when it is back', async () => {
    const metrics = fresh()
    const votesOf = async (sv: string) =>
      sampleValue(await scraped(metrics), 'scan_proxy_votes_total', {
        sv,
        read: 'listAnsEntries',
        vote: 'dissent',
      })
    const vote = (sv: string) => metrics.votes_total.with({ sv, read: 'listAnsEntries', vote: 'dissent' })
    metrics.admitSv('sv-1')
    metrics.admitSv('sv-2')
    const kept = vote('sv-1')
    kept.inc(5)
    vote('sv-2').inc()
    metrics.scan_request_duration_seconds.with({ sv: 'sv-1', outcome: 'timeout' }).observe(5)

    metrics.removeSv('sv-1')
    kept.inc()
    expect((await metrics.scrape()).body).not.toContain('sv-1')
    expect(await votesOf('sv-2')).toBe(1)
    vote('sv-1').inc(2)
    expect(await votesOf('sv-1')).toBeUndefined()
    expect(await votesOf('other')).toBe(2)

    metrics.admitSv('sv-1')
    vote('sv-1').inc()
    expect(await votesOf('sv-1')).toBe(1)
  })

  test('name no more than 256 super validators, and none whose name cannot stand in an exposition', async () => {
    const metrics = fresh()
    for (const name of ['', 'x'.repeat(201), 'nul\0', 'half \ud83d'])
      expect(metrics.admitSv(name)).toBe(false)
    const admitted = Array.from({ length: 300 }, (_, index) => metrics.admitSv(`sv-${index}`)).filter(Boolean)
    expect(admitted).toHaveLength(256)
    metrics.removeSv('sv-0')
    expect(metrics.admitSv('sv-299')).toBe(true)
    expect(metrics.admitSv('sv-0')).toBe(false)
  })
})
