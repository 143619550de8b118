import { hash } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import type { Heard } from '../localnet/ask.ts'
import { startRemote, startStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { Scans } from '../support/scans.ts'
import { type Item, parseDictionary, parseList } from './structured-fields.ts'

const byName = (name: string) => `/v0/scan-proxy/ans-entries/by-name/${name}`
const minute = 60_000

const stage = await startStage()

afterAll(() => stage[Symbol.asyncDispose]())

function quorumOf({ headers }: Heard): Record<string, unknown> {
  const members = parseDictionary(String(headers['x-bft-quorum']))
  return Object.fromEntries(Object.entries(members).map(([key, { value }]) => [key, value]))
}

const agreedOf = ({ headers }: Heard) => parseList(String(headers['x-bft-agreed'])).map(({ value }) => value)

const cacheOf = ({ headers }: Heard): Item | undefined => parseList(String(headers['cache-status']))[0]

function timesOf({ headers }: Heard) {
  const maxAge = /^(public|private), max-age=(\d+)$/.exec(String(headers['cache-control']))
  return { age: Number(headers['age']), scope: maxAge?.[1], maxAge: Number(maxAge?.[2]) }
}

const cache = (params: Record<string, unknown>): Item => ({
  value: { token: 'bft-scan-proxy' },
  params: params as Item['params'],
})

describe('x-bft-quorum and x-bft-agreed say who agreed:', () => {
  test('as many as agreed, of those asked, of all', async () => {
    const heard = await stage.get(byName('alice.unverified.cns'))
    expect(quorumOf(heard)).toEqual({ agreed: 2, threshold: 2, asked: 2, voters: 4 })
    expect(agreedOf(heard)).toHaveLength(2)
    for (const name of agreedOf(heard)) expect(stage.names).toContain(name)
  })

  test('also for a name that does not exist', async () => {
    const heard = await stage.get(byName('nobody.unverified.cns'))
    expect(heard.status).toBe(404)
    expect(quorumOf(heard)).toEqual({ agreed: 3, threshold: 2, asked: 3, voters: 4 })
  })

  test('operators, where they are configured', async () => {
    const operators = { one: ['sv-1', 'sv-2'], two: ['sv-3'] }
    await using other = await startStage({ config: { 'scanClient.operators': operators } })
    const heard = await other.get(byName('alice.unverified.cns'))
    expect(quorumOf(heard)).toEqual({
      agreed: 2,
      threshold: 2,
      asked: 2,
      voters: 4,
      operators: expect.toBeOneOf([1, 2]),
      'operator-threshold': 1,
      'operator-voters': 3,
    })
  })

  test('that a list was agreed item by item', async () => {
    await using other = await startStage()
    for (const [index, name] of other.names.entries())
      await other.fault([name], { kind: 'lag', by: index * 1_000 })
    for (const name of ['new-1', 'new-2', 'new-3']) {
      other.localnet.world.put({ name, user: 'new::1220ab', expiresAt: other.clock.wall() + minute })
      other.clock.advance(800)
    }
    const heard = await other.get('/v0/ans-entries?page_size=10&name_prefix=new-')
    expect(quorumOf(heard)).toMatchObject({ threshold: 2, voters: 4, complete: false })
    const listed = JSON.parse(heard.text).entries.map(({ name }: { name: string }) => name)
    expect(listed[0], 'what three of four hold').toBe('new-1')
    expect(listed, 'what one of four holds').not.toContain('new-3')
    expect(timesOf(heard)).toMatchObject({ maxAge: 5 })
  })

  test('that one super validator alone could have made the answer', async () => {
    await using other = await startStage({ superValidators: 3 })
    expect(quorumOf(await other.get(byName('alice.unverified.cns')))).toEqual({
      agreed: 1,
      threshold: 1,
      asked: 1,
      voters: 3,
      protected: false,
    })
  })

  test('names that need display strings, and names with quotes', async () => {
    const names = ['Zürich "7" 100%', 'back\\slash "quoted"', '名前', 'plain']
    await using scans = await Scans.listen(...names)
    await using remote = await startRemote(scans.urls, {
      'scanClient.threshold': 4,
      'scanClient.fanout': 'all',
    })
    const heard = await remote.get(byName('a'))
    expect(agreedOf(heard)).toEqual([
      'back\\slash "quoted"',
      'plain',
      { display: 'Zürich "7" 100%' },
      { display: '名前' },
    ])
    expect(String(heard.headers['x-bft-agreed'])).toMatch(/^[\x20-\x7e]*$/)
  })
})

describe('etag is the digest of the bytes served:', () => {
  test.each([
    byName('alice.unverified.cns'),
    byName('nobody.unverified.cns'),
    '/v0/ans-entries/by-name/nobody.unverified.cns',
    '/v0/ans-entries?page_size=3',
    '/v0/scan-proxy/amulet-rules',
  ])('%s', async (path) => {
    const { headers, body } = await stage.get(path)
    expect(headers['etag']).toBe(`"${hash('sha256', body, 'base64url')}"`)
  })

  test('what the caller has already is answered 304 without the bytes, and with the same words about the quorum', async () => {
    const path = byName('bob.unverified.cns')
    await stage.get(path)
    stage.clock.advance(2_000)
    const full = await stage.get(path)
    const unchanged = await stage.get(path, { headers: { 'if-none-match': String(full.headers['etag']) } })
    expect(unchanged).toMatchObject({ status: 304, text: '' })
    const repeated = [
      'etag',
      'x-bft-quorum',
      'x-bft-agreed',
      'age',
      'cache-control',
      'cache-status',
      'x-bft-network',
    ]
    for (const name of repeated) {
      expect(full.headers[name], name).toBeDefined()
      expect(unchanged.headers[name], name).toBe(full.headers[name])
    }
    expect(unchanged.headers['content-length']).toBeUndefined()
  })

  test('a name that does not exist is never unchanged', async () => {
    const path = byName('nobody-at-all.unverified.cns')
    const etag = String((await stage.get(path)).headers['etag'])
    for (const candidate of [etag, '*']) {
      const heard = await stage.get(path, { headers: { 'if-none-match': candidate } })
      expect(heard.status).toBe(404)
      expect(heard.text).toContain('Did not find a AnsEntry')
    }
  })

  test('rules that are posted for are never unchanged', async () => {
    const post = { method: 'POST', body: '{}' }
    const etag = String((await stage.get('/v0/ans-rules', post)).headers['etag'])
    const heard = await stage.get('/v0/ans-rules', { ...post, headers: { 'if-none-match': etag } })
    expect(heard.status).toBe(200)
    expect(heard.text).toContain('ans_rules_update')
  })
})

describe('cache-status, age and cache-control tell the age of an answer and what is left of it:', () => {
  test('a miss that is stored, then a hit that grows older', async () => {
    const path = byName('carol.unverified.cns')
    const miss = await stage.get(path)
    expect(cacheOf(miss)).toEqual(cache({ fwd: { token: 'miss' }, stored: true }))
    expect(timesOf(miss)).toEqual({ age: 0, scope: 'public', maxAge: 30 })
    stage.clock.advance(12_900)
    const hit = await stage.get(path)
    expect(cacheOf(hit)).toEqual(cache({ hit: true, ttl: 17 }))
    expect(timesOf(hit)).toEqual({ age: 12, scope: 'public', maxAge: 30 })
  })

  test('what is stale is served while one refresh runs, and then what that brought', async () => {
    const path = byName('dave.unverified.cns')
    await stage.get(path)
    stage.clock.advance(42_000)
    const asks = stage.asks('by-name')
    const stale = await stage.get(path)
    expect(cacheOf(stale)).toEqual(cache({ hit: true, ttl: -12 }))
    expect(timesOf(stale)).toEqual({ age: 42, scope: 'public', maxAge: 30 })
    await eventually(async () => cacheOf(await stage.get(path))?.params['ttl'] === 30)
    expect(stage.asks('by-name')).toBe(asks + 2)
  })

  test('a refresh that fails leaves what is stale, until its time is over and nobody is served any more', async () => {
    const path = byName('erin.unverified.cns')
    await stage.get(path)
    await stage.fault(stage.names, 'error')
    stage.clock.advance(4 * minute)
    for (let round = 0; round < 3; round++) {
      expect(cacheOf(await stage.get(path))).toEqual(cache({ hit: true, ttl: -210 }))
    }
    stage.clock.advance(minute)
    expect((await stage.get(path)).status).toBe(502)
    await stage.fault(stage.names, undefined)
    expect(cacheOf(await stage.get(path))).toMatchObject({ params: { stored: true } })
  })

  test('an ended answer is asked for again', async () => {
    const path = byName('grace.unverified.cns')
    await stage.get(path)
    stage.clock.advance(5 * minute)
    const heard = await stage.get(path)
    expect(heard.status).toBe(200)
    expect(cacheOf(heard)).toEqual(cache({ fwd: { token: 'stale' }, stored: true }))
  })

  test('an absence has no stale time', async () => {
    const path = byName('absent.unverified.cns')
    expect(timesOf(await stage.get(path))).toEqual({ age: 0, scope: 'public', maxAge: 5 })
    stage.clock.advance(4_999)
    expect(cacheOf(await stage.get(path))).toEqual(cache({ hit: true, ttl: 0 }))
    stage.clock.advance(1)
    const heard = await stage.get(path)
    expect(heard.status).toBe(404)
    expect(cacheOf(heard)).toMatchObject({ params: { stored: true } })
  })

  test('max-age never reaches past the end of the name', async () => {
    const { world } = stage.localnet
    const endsIn = 20_500
    world.put({ name: 'ends.unverified.cns', user: 'ends::1220ab', expiresAt: stage.clock.wall() + endsIn })
    stage.clock.advance(200)
    const path = byName('ends.unverified.cns')
    expect(timesOf(await stage.get(path))).toEqual({ age: 0, scope: 'public', maxAge: 20 })
    stage.clock.advance(900)
    for (let left = endsIn - 1_100; left > 0; left -= 700) {
      const { age, maxAge } = timesOf(await stage.get(path))
      expect((maxAge - age) * 1000, `${left} ms before its end`).toBeLessThanOrEqual(left)
      stage.clock.advance(700)
    }
    const heard = await stage.get(path)
    expect(heard.status).toBe(404)
    expect(cacheOf(heard)).toMatchObject({ params: { stored: true } })
  })

  test("what this machine's clock calls ended is served as the quorum says, and not kept", async () => {
    const { world } = stage.localnet
    await stage.fault(stage.names, { kind: 'skew', by: -10 * minute })
    world.put({ name: 'past.unverified.cns', user: 'past::1220ab', expiresAt: stage.clock.wall() - minute })
    stage.clock.advance(1)
    for (let round = 0; round < 2; round++) {
      const heard = await stage.get(byName('past.unverified.cns'))
      expect(heard.status).toBe(200)
      expect(cacheOf(heard)).toEqual(cache({ fwd: { token: 'miss' } }))
      expect(timesOf(heard)).toEqual({ age: 0, scope: 'public', maxAge: 0 })
    }
    await stage.fault(stage.names, undefined)
  })

  test('a caller that joins a load in progress sees that in cache-status', async () => {
    const path = byName('heidi.unverified.cns')
    await stage.fault(stage.names, { kind: 'delay', ms: 10 })
    const arrived = stage.names.map((name) => stage.localnet.nextRequest(name, 'by-name'))
    const first = stage.get(path)
    await Promise.race(arrived)
    const missesBefore = (await stage.metrics()).value('scan_proxy_cache_lookups_total', {
      tier: 'memory',
      result: 'miss',
    })
    const second = stage.get(path)
    await eventually(async () => {
      const { value } = await stage.metrics()
      return value('scan_proxy_cache_lookups_total', { tier: 'memory', result: 'miss' }) > missesBefore
    })
    stage.clock.advance(10)
    expect(cacheOf(await first)).toEqual(cache({ fwd: { token: 'miss' }, stored: true }))
    expect(cacheOf(await second)).toEqual(cache({ fwd: { token: 'miss' }, collapsed: true }))
    await stage.fault(stage.names, undefined)
  })
})

describe('A request is known by its id and its trace:', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

  test('those that the caller sent are sent back, with answers and with errors', async () => {
    const headers = { 'x-request-id': 'order-7/1', traceparent }
    for (const path of [byName('alice.unverified.cns'), byName('%ff'), '/nothing', '/readyz']) {
      const heard = await stage.get(path, { headers })
      expect(heard.headers).toMatchObject(headers)
    }
  })

  test.each([
    ['an id with a line end in it, encoded or not', { 'x-request-id': 'a\tb' }],
    ['an id of 129 characters', { 'x-request-id': 'a'.repeat(129) }],
    ['a trace of zeros', { traceparent: '00-00000000000000000000000000000000-00f067aa0ba902b7-01' }],
    [
      'a trace of another version',
      { traceparent: 'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
    ],
  ])('%s is not taken', async (_what, headers: Record<string, string>) => {
    const heard = await stage.get(byName('alice.unverified.cns'), { headers })
    for (const [name, value] of Object.entries(headers)) expect(heard.headers[name]).not.toBe(value)
  })

  test('no two requests are made the same ones', async () => {
    const heard = await Promise.all(Array.from({ length: 50 }, () => stage.get('/livez')))
    const ids = new Set(heard.map(({ headers }) => headers['x-request-id']))
    const traces = new Set(heard.map(({ headers }) => String(headers['traceparent'])))
    expect(ids.size).toBe(50)
    expect(traces.size).toBe(50)
    for (const trace of traces)
      expect(trace).toMatch(/^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/)
  })
})

describe('Browsers of any origin may ask and read:', () => {
  test('every header of an answer is exposed', async () => {
    const { headers } = await stage.get(byName('alice.unverified.cns'))
    const exposed = String(headers['access-control-expose-headers']).split(', ')
    const ours = Object.keys(headers).filter(
      (name) => name.startsWith('x-') || /^(etag|age|cache-status|traceparent)$/.test(name),
    )
    expect(ours.length).toBeGreaterThan(6)
    for (const name of ours) expect(exposed).toContain(name)
    expect(headers['access-control-allow-origin']).toBe('*')
  })

  test('a preflight allows what Splice allows', async () => {
    const heard = await stage.get('/v0/ans-rules', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, content-type',
      },
    })
    expect(heard).toMatchObject({
      status: 200,
      text: '',
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'DELETE, GET, POST, HEAD, OPTIONS',
        'access-control-allow-headers': 'authorization, content-type',
      },
    })
  })
})

describe('x-bft-network marks answers of a localnet:', () => {
  test('errors and answers about the daemon among them', async () => {
    for (const path of [byName('alice.unverified.cns'), '/nothing', '/livez', '/openapi.json']) {
      expect((await stage.get(path)).headers['x-bft-network']).toBe('localnet')
    }
  })

  test('and never those of a real network', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using remote = await startRemote(scans.urls)
    for (const path of [byName('alice'), '/nothing', '/livez', '/openapi.json']) {
      expect((await remote.get(path)).headers['x-bft-network']).toBeUndefined()
    }
  })
})
