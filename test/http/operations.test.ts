import { afterAll, describe, expect, test } from 'vitest'
import { catalogue } from '../../src/base/telemetry/metric-catalogue.ts'
import { ask } from '../localnet/ask.ts'
import { startRemote, startStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { Scans } from '../support/scans.ts'

const byName = (name: string) => `/v0/scan-proxy/ans-entries/by-name/${name}`

const stage = await startStage({ superValidators: 7 })

afterAll(() => stage[Symbol.asyncDispose]())

describe('The operations address:', () => {
  test('/metrics is what Prometheus reads, and every sample is of a metric that is declared', async () => {
    await stage.get(byName('alice.unverified.cns'))
    await stage.get(byName('alice.unverified.cns'))
    const { families, value } = await stage.metrics()
    const declared = Object.entries(catalogue).map(([name, { kind, help }]) => [
      `scan_proxy_${name}`,
      kind,
      help,
    ])
    expect([...families.values()].map(({ name, type, help }) => [name, type, help])).toEqual(declared)
    const route = { route: 'lookupAnsEntryByName', method: 'GET', status: '200' }
    expect(value('scan_proxy_http_requests_total', route)).toBe(2)
    expect(value('scan_proxy_http_request_duration_seconds_count', route)).toBe(2)
    expect(value('scan_proxy_reads_total', { read: 'lookupAnsEntryByName', outcome: 'agreed' })).toBe(1)
    expect(value('scan_proxy_roster_super_validators', { state: 'reachable' })).toBe(7)
    expect(value('scan_proxy_quorum_threshold', { count: 'super_validators' })).toBe(3)
    expect(value('scan_proxy_quorum_margin', { count: 'super_validators' })).toBe(4)
    expect(value('scan_proxy_protected')).toBe(1)
    const open = await stage.operations('/metrics', { headers: { accept: 'application/openmetrics-text' } })
    expect(open.headers['content-type']).toMatch(/^application\/openmetrics-text/)
  })

  test('requests for nothing and of a wrong kind are counted without their paths', async () => {
    await stage.get('/some/secret')
    await stage.get(byName('a'), { method: 'DELETE' })
    const { families, value } = await stage.metrics()
    expect(value('scan_proxy_http_requests_total', { route: 'unknown', method: 'GET', status: '404' })).toBe(
      1,
    )
    expect(
      value('scan_proxy_http_requests_total', { route: 'unknown', method: 'DELETE', status: '405' }),
    ).toBe(1)
    expect(JSON.stringify([...families.values()])).not.toContain('secret')
  })

  test('/status shows the roster, the thresholds and what is kept', async () => {
    await stage.get(byName('bob.unverified.cns'))
    expect(await stage.report('/status')).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      network: 'localnet',
      mode: 'bft',
      ready: true,
      uptimeSeconds: expect.any(Number),
      protected: true,
      reads: { minutes: 5, settled: expect.any(Number), notAgreed: 0 },
      seeds: stage.localnet.superValidators.map(({ url }) => ({
        url,
        outcome: 'answered',
        detail: expect.stringMatching(/^7 super validators \(/),
        at: expect.stringMatching(/^2026-01-01T/),
      })),
      roster: {
        source: 'seeds',
        ageSeconds: expect.any(Number),
        dso: stage.localnet.world.dsoParty,
        synchronizer: stage.localnet.world.synchronizer,
        unmatchedOperators: [],
        newestKnownRelease: '0.9.1',
        superValidators: stage.localnet.superValidators.map(({ name, url }) => ({
          names: [name],
          operator: null,
          url,
          reachable: true,
          availability: 1,
          replySeconds: expect.any(Number),
          lateAfterSeconds: expect.any(Number),
          place: expect.any(Number),
          release: expect.stringMatching(/^0\.\d+\.\d+$/),
          pause: null,
        })),
      },
      thresholds: {
        general: { superValidators: { n: 7, f: 2, threshold: 3 } },
        reads: {},
      },
      cache: {
        memory: { values: expect.any(Number), absences: 0, maxBytes: 67_108_864 },
        redis: 'none',
      },
      mirror: { level: 'off', wanted: 'off' },
      log: null,
      ledger: { driver: 'none' },
    })
    expect((await stage.report('/status')).cache.memory.values).toBeGreaterThan(0)
  })

  test('/status says why Redis cannot be used', async () => {
    await using own = await startStage({ config: { 'cache.redis.url': 'redis://127.0.0.1:1' } })
    await eventually(async () => (await own.report('/status')).cache.redisBecause !== undefined)
    expect((await own.report('/status')).cache).toMatchObject({
      redis: 'down',
      redisBecause: 'connect ECONNREFUSED 127.0.0.1:1',
    })
  })

  test('/status shows the thresholds of a read only where they differ from the general ones', async () => {
    const thresholds = { lookupAnsEntryByName: '2f+1', getDsoPartyId: 'f+1' }
    await using own = await startStage({ config: { 'scanClient.thresholds': thresholds } })
    const { reads } = (await own.report('/status')).thresholds
    expect(reads).toEqual({
      lookupAnsEntryByName: { superValidators: { n: 4, f: 1, threshold: 3 }, protected: true },
    })
  })

  test('/evidence begins empty', async () => {
    await using calm = await startStage()
    expect(await calm.report('/evidence')).toEqual({ bytes: 0, cases: [], bodies: {} })
  })

  test('/livez and /readyz say nothing but their status', async () => {
    for (const path of ['/livez', '/readyz', '/readyz?quorum']) {
      expect(await stage.operations(path)).toMatchObject({ status: 200, text: '' })
      expect(await stage.operations(path, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
    }
  })

  test('what is not there is an error like any other, and no page of another origin may ask for anything', async () => {
    const missing = await stage.operations('/nothing')
    expect(missing.status).toBe(404)
    expect(Object.keys(JSON.parse(missing.text))).toEqual(['error'])
    for (const path of ['/metrics', '/status', '/evidence', '/livez', '/readyz', '/nothing']) {
      const headers = { origin: 'https://evil.example' }
      for (const method of ['GET', 'OPTIONS']) {
        const heard = await stage.operations(path, { method, headers })
        for (const name of Object.keys(heard.headers)) expect(name).not.toMatch(/^access-control-/)
      }
    }
  })

  test('every path is 421 for a host name that nobody configured, before anything else happens', async () => {
    await using named = await startStage({ config: { 'operations.allowedHosts': ['proxy.example.org'] } })
    const paths = '/metrics /status /evidence /livez /readyz / /ui/events /nothing'.split(' ')
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'OPTIONS', 'PUT']) {
        const headers = { host: 'rebound.evil.example:9464' }
        const heard = await named.operations(path, { method, headers })
        expect([path, heard.status]).toEqual([path, 421])
        expect(JSON.parse(heard.text)).toEqual({
          error: 'This address has no such host name: see operations.allowedHosts.',
        })
      }
    }
    for (const host of ['localhost', 'LOCALHOST:1', '[::1]:9464', '10.1.2.3', 'Proxy.Example.org.:80'])
      expect((await named.operations('/evidence', { headers: { host } })).status).toBe(200)
  })

  test("its permitted host names are also those of the localnet's control address", async () => {
    await using named = await startStage({ config: { 'operations.allowedHosts': ['proxy.example.org'] } })
    const statusFor = async (host: string) =>
      (await ask(named.localnet.control, '/time', { headers: { host } })).status
    expect(await statusFor('proxy.example.org')).toBe(200)
    expect(await statusFor('rebound.evil.example')).toBe(421)
  })

  test('reads are not answered there, nor operations on the public address', async () => {
    expect((await stage.operations(byName('alice.unverified.cns'))).status).toBe(404)
    for (const path of ['/metrics', '/status', '/evidence']) expect((await stage.get(path)).status).toBe(404)
  })
})

describe('/readyz:', () => {
  const all = [
    ['public', '/readyz'],
    ['public', '/api/scan/readyz'],
    ['public', '/api/validator/readyz'],
    ['operations', '/readyz'],
  ] as const

  test('with ?quorum it also wants a quorum that was reachable when last asked', async () => {
    await using other = await startStage()
    const states = (query: string) =>
      Promise.all(
        all.map(async ([where, path]) => {
          const heard = await (where === 'public' ? other.get(path + query) : other.operations(path + query))
          return heard.status
        }),
      )
    expect(await states('?quorum')).toEqual([200, 200, 200, 200])
    await other.fault(['sv-1', 'sv-2', 'sv-3'], 'refuse')
    other.clock.advance(60_000)
    await eventually(async () => (await states('?quorum')).every((status) => status === 503))
    expect(await states('')).toEqual([200, 200, 200, 200])
    expect(await states('?other&quorum')).toEqual([503, 503, 503, 503])
    await other.fault(['sv-1'], undefined)
    other.clock.advance(60_000)
    await eventually(async () => (await states('?quorum')).every((status) => status === 200))
  })

  test('without a roster it is 503, while /livez is 200 and callers of reads are asked to come back', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    scans.say({ refuses: { status: 503, error: 'starting' } })
    await using remote = await startRemote(scans.urls)
    for (const [where, path] of all) {
      const asked = where === 'public' ? remote.get(path) : remote.operations(path)
      expect(await asked).toMatchObject({ status: 503, text: '' })
    }
    for (const base of ['', '/api/scan', '/api/validator']) {
      expect(await remote.get(`${base}/livez`)).toMatchObject({ status: 200, text: '' })
    }
    expect(JSON.parse((await remote.get('/api/scan/status')).text)).toEqual({
      not_initialized: { active: false },
    })
    const heard = await remote.get(byName('a'))
    expect(heard).toMatchObject({ status: 503, headers: { 'cache-control': 'no-store' } })
    expect(Number(heard.headers['retry-after'])).toBeGreaterThan(0)
    expect(JSON.parse(heard.text).error).toMatch(/^No roster of super validators is agreed yet: ./)
    expect(await remote.report('/status')).toMatchObject({
      ready: false,
      protected: null,
      roster: null,
      thresholds: null,
      waitingFor: expect.stringContaining('seeds'),
    })
  })
})

describe("What the daemon says of itself has Splice's and Canton's shape:", () => {
  test.each(['/api/scan', '/api/validator'])('%s/version and %s/status', async (base) => {
    expect(JSON.parse((await stage.get(`${base}/version`)).text)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      commit_ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
    })
    expect(JSON.parse((await stage.get(`${base}/status`)).text)).toEqual({
      success: {
        id: 'bft-scan-proxy',
        uptime: expect.stringMatching(/^\d+s$/),
        ports: {},
        extra: null,
        active: true,
      },
    })
  })
})
