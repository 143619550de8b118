import { describe, expect, test } from 'vitest'
import { ask } from '../localnet/ask.ts'
import { startLiveRemote, startLiveStage } from '../support/daemon.ts'
import { loadedPackages } from '../support/loaded-packages.ts'
import { type CollectedSpan, startCollector } from '../support/otlp-collector.ts'
import { DaemonProcess } from '../support/process.ts'
import { Scans } from '../support/scans.ts'
import { byName, nothingKept } from './questions.ts'

const alice = byName('alice.unverified.cns')
const callersTrace = '4bf92f3577b34da6a3ce929d0e0e4736'
const callersSpan = '00f067aa0ba902b7'
const caller = `00-${callersTrace}-${callersSpan}-01`

const kinds = { internal: 1, server: 2, client: 3 }
const failed = 2

const readsOf = (spans: readonly CollectedSpan[]) => spans.filter(({ name }) => name !== 'ask')
const asksOf = (spans: readonly CollectedSpan[], { spanId }: CollectedSpan) =>
  spans.filter(({ name, parentSpanId }) => name === 'ask' && parentSpanId === spanId)

function traceParentsFor(scans: Scans, name: string): (string | undefined)[] {
  return scans.nodes.flatMap(({ asked, traceParents }) =>
    traceParents.filter((_, index) => asked[index]?.includes(`/by-name/${name}`)),
  )
}

describe('With a collector', () => {
  test('a read that is put to the quorum is a span with one child for each ask, and a hit is none', async () => {
    await using collector = await startCollector()
    await using daemon = await DaemonProcess.start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=key-of-the-test',
      OTEL_SERVICE_NAME: 'names',
      SCAN_FANOUT: 'quorum',
      NODE_CONFIG: JSON.stringify({ scanClient: { auditShare: 1 } }),
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
    })
    const { http } = await daemon.listening()
    for (const how of ['fwd=miss; stored', 'hit']) {
      const heard = await ask(http, alice, { headers: { traceparent: caller } })
      expect(heard.status).toBe(200)
      expect(heard.headers['cache-status']).toContain(how)
    }
    daemon.signal('SIGTERM')
    expect(await daemon.ended).toMatchObject({ code: 0, errors: [] })

    const [read, ...others] = readsOf(collector.spans)
    expect(others).toEqual([])
    expect(read).toMatchObject({
      name: 'lookupAnsEntryByName',
      kind: kinds.server,
      traceId: callersTrace,
      parentSpanId: callersSpan,
      status: 0,
      attributes: {
        'bft.outcome': 'agreed',
        'bft.rule': expect.stringContaining('gave the same value'),
        'bft.threshold': 2,
        'bft.voters': 4,
        'bft.agreed': 2,
        'bft.asked': expect.any(Number),
        'bft.cache': 'miss',
      },
    })
    const asks = asksOf(collector.spans, read as CollectedSpan)
    // An audit is sent after the verdict, so it is not among those that were asked for it.
    const forTheVerdict = asks.filter(({ attributes }) => attributes['bft.reason'] !== 'audit')
    expect(forTheVerdict).toHaveLength(Number(read?.attributes['bft.asked']))
    expect(collector.spans).toHaveLength(1 + asks.length)
    expect(new Set(asks.map(({ attributes }) => attributes['bft.sv'])).size).toBe(asks.length)
    // On a busy machine a reply is late at times: another super validator is asked, and the late one may say nothing.
    expect(asks.filter(({ attributes }) => attributes['bft.reason'] === 'first')).toHaveLength(3)
    const replied = asks.filter(({ attributes }) => attributes['bft.outcome'] === 'value')
    expect(replied.length).toBeGreaterThanOrEqual(2)
    for (const { kind, traceId, attributes, status } of replied) {
      expect({ kind, traceId, status }).toEqual({ kind: kinds.client, traceId: callersTrace, status: 0 })
      expect(attributes).toEqual({
        'bft.sv': expect.stringMatching(/^sv-\d$/),
        'bft.reason': expect.any(String),
        'bft.outcome': 'value',
        'http.response.status_code': 200,
        'http.response.body.size': expect.any(Number),
      })
    }
    expect(collector.resource).toMatchObject({
      'service.name': 'names',
      'service.version': expect.any(String),
      'service.instance.id': expect.any(String),
      'deployment.environment.name': 'staging',
    })
    expect(collector.exports).toHaveLength(1)
    expect(collector.exports[0]).toMatchObject({
      path: '/v1/traces',
      headers: { 'x-api-key': 'key-of-the-test', 'content-type': 'application/json' },
    })
    const said = collector.text + daemon.lines.map((line) => JSON.stringify(line)).join()
    for (const secret of ['alice', '::', 'key-of-the-test']) expect(collector.text).not.toContain(secret)
    expect(said).not.toContain('key-of-the-test')
  })

  test('every scan is sent the span of its ask, and nothing else of the caller', async () => {
    await using collector = await startCollector()
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using daemon = await startLiveRemote(scans.urls, {
      'traces.endpoint': collector.url,
      'scanClient.fanout': 'quorum',
    })
    const headers = { traceparent: caller, tracestate: 'vendor=secret', baggage: 'user=secret' }
    await daemon.get(byName('dave'), { headers })
    await daemon.get(byName('erin'), { headers: { traceparent: `00-${'0'.repeat(32)}-${callersSpan}-01` } })
    await daemon[Symbol.asyncDispose]()

    const [dave, erin] = readsOf(collector.spans) as [CollectedSpan, CollectedSpan]
    const sent = (read: CollectedSpan) =>
      asksOf(collector.spans, read).map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`)
    expect(sent(dave)).toHaveLength(3)
    expect(traceParentsFor(scans, 'dave').sort()).toEqual(sent(dave).sort())
    expect(traceParentsFor(scans, 'erin').sort()).toEqual(sent(erin).sort())
    expect(dave.traceId).toBe(callersTrace)
    expect(erin).toMatchObject({ kind: kinds.internal, parentSpanId: undefined })
    expect(erin.traceId).not.toMatch(/^0+$/)
    const others = scans.nodes.flatMap(({ asked, traceParents }) =>
      traceParents.filter((_, index) => !asked[index]?.includes('/by-name/')),
    )
    expect(new Set(others), 'the roster is asked for, and nodes are probed, without a trace').toEqual(
      new Set([undefined]),
    )
  })

  test('a read that is not agreed on is an error, and so is each ask that failed', async () => {
    await using collector = await startCollector()
    await using stage = await startLiveStage({
      config: { ...nothingKept, 'traces.endpoint': collector.url, 'scanClient.fanout': 'quorum' },
    })
    await stage.fault(['sv-1', 'sv-2', 'sv-3'], { kind: 'status', code: 500, error: 'broken' })
    expect((await stage.get(alice)).status).toBe(502)
    await stage[Symbol.asyncDispose]()

    const [read] = readsOf(collector.spans) as [CollectedSpan]
    expect(read).toMatchObject({
      status: failed,
      attributes: { 'bft.outcome': 'unreachable', 'error.type': 'unreachable', 'bft.agreed': 0 },
    })
    const asks = asksOf(collector.spans, read)
    const broken = asks.filter(({ status }) => status === failed)
    expect(broken.map(({ attributes }) => attributes)).toEqual(
      Array(3).fill(
        expect.objectContaining({ 'bft.outcome': 'server-error', 'http.response.status_code': 500 }),
      ),
    )
    const reasons = asks.map(({ attributes }) => attributes['bft.reason'])
    expect(reasons.filter((reason) => reason === 'first')).toHaveLength(3)
    expect(reasons).toContain('more')
  })

  test('a hedge is marked as one, and an ask for which no caller waits still has its end', async () => {
    await using collector = await startCollector()
    await using stage = await startLiveStage({
      superValidators: 7,
      config: { ...nothingKept, 'traces.endpoint': collector.url },
    })
    await stage.fault(stage.names, { kind: 'delay', ms: 400 })
    await stage.fault(['sv-1', 'sv-2', 'sv-3'], { kind: 'delay', ms: 60_000 })
    const names = ['alice', 'bob', 'acme'].map((name) => byName(`${name}.unverified.cns`))
    for (const name of names) expect((await stage.get(name)).status).toBe(200)
    await stage[Symbol.asyncDispose]()

    const asks = collector.spans.filter(({ name }) => name === 'ask')
    expect(asks.map(({ attributes }) => attributes['bft.reason'])).toContain('hedge')
    expect(asks.map(({ attributes }) => attributes['bft.outcome'])).toContain('abandoned')
    expect(readsOf(collector.spans)).toHaveLength(3)
  })

  test('callers that share a load share its span', async () => {
    await using collector = await startCollector()
    await using stage = await startLiveStage({ config: { ...nothingKept, 'traces.endpoint': collector.url } })
    await stage.fault(stage.names, { kind: 'delay', ms: 100 })
    const headers = { traceparent: caller }
    const heard = await Promise.all(Array.from({ length: 5 }, () => stage.get(alice, { headers })))
    expect(heard.filter(({ headers }) => headers['cache-status']?.includes('collapsed'))).toHaveLength(4)
    await stage[Symbol.asyncDispose]()
    expect(readsOf(collector.spans)).toHaveLength(1)
  })

  test('a stale answer that is refreshed says so', async () => {
    await using collector = await startCollector()
    await using stage = await startLiveStage({
      config: { 'traces.endpoint': collector.url, 'cache.times.lookupAnsEntryByName.fresh': '0s' },
    })
    await stage.get(alice)
    await stage.get(alice)
    await stage[Symbol.asyncDispose]()
    expect(readsOf(collector.spans).map(({ attributes }) => attributes['bft.cache'])).toEqual([
      'miss',
      'stale',
    ])
  })

  test.each([
    ['always_off', caller, 0, '00'],
    ['always_on', caller.replace(/01$/, '00'), 1, '01'],
    ['parentbased_always_on', caller.replace(/01$/, '00'), 0, '00'],
    ['parentbased_always_off', caller, 1, '01'],
    ['traceidratio', caller, 0, '00'],
  ])('sampled as %s says, with %s there are %i reads', async (sampler, traceparent, reads, flags) => {
    await using collector = await startCollector()
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    const traces = {
      'traces.endpoint': collector.url,
      'traces.sampler': sampler,
      'traces.samplerRatio': 0,
      'scanClient.fanout': 'quorum',
    }
    await using daemon = await startLiveRemote(scans.urls, traces)
    await daemon.get(byName('dave'), { headers: { traceparent } })
    await daemon[Symbol.asyncDispose]()
    expect(readsOf(collector.spans)).toHaveLength(reads)
    const sent = traceParentsFor(scans, 'dave')
    expect(sent).toHaveLength(3)
    for (const one of sent) expect(one).toMatch(new RegExp(`^00-${callersTrace}-[0-9a-f]{16}-${flags}$`))
  })
})

describe('Without a collector', () => {
  test("scans are not sent the caller's trace", async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using daemon = await startLiveRemote(scans.urls, { 'scanClient.fanout': 'quorum' })
    const heard = await daemon.get(byName('dave'), { headers: { traceparent: caller } })
    expect(heard.headers['traceparent']).toBe(caller)
    expect(traceParentsFor(scans, 'dave')).toEqual([undefined, undefined, undefined])
  })

  test('nothing of OpenTelemetry is loaded', async () => {
    await using collector = await startCollector()
    expect(await loadedOpenTelemetry({})).toEqual([])
    const loaded = await loadedOpenTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    expect(loaded).toContain('@opentelemetry/sdk-trace')
  })
})

async function loadedOpenTelemetry(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const loaded = await loadedPackages(env, async ({ http }) => {
    expect((await ask(http, byName('nobody'))).status).toBe(404)
  })
  return loaded.filter((name) => name.startsWith('@opentelemetry/'))
}
