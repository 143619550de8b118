import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AdvancingClock } from '../../src/base/lib/advancing-clock.ts'
import { nodeFaultKinds } from '../../src/localnet/faults.ts'
import { startLocalnet, type WorldLocalnet } from '../../src/localnet/localnet.ts'
import { usualRelease } from '../../src/localnet/releases.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { speak } from '../support/speak.ts'
import { ask, askJson, byName, failure } from './ask.ts'

let localnet: WorldLocalnet
const alice = byName('alice.unverified.cns')
const fault = (name: string) => `/super-validators/${name}/fault`

beforeAll(async () => {
  localnet = await startLocalnet({ superValidators: 4 })
})
afterEach(() => ask(localnet.control, '/faults', { method: 'DELETE' }))
afterAll(() => localnet[Symbol.asyncDispose]())

const put = (name: string, body: unknown) =>
  ask(localnet.control, fault(name), {
    method: 'PUT',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

test('the control address lists the super validators with their faults and asks', async () => {
  const url = localnet.superValidators[2]?.url ?? ''
  const before = localnet.asks('sv-3')
  await ask(url, alice)
  await ask(url, '/api/scan/version')
  const listed = await askJson(localnet.control, '/super-validators')
  expect(listed).toHaveLength(4)
  const { party } = localnet.world.members[2] ?? { party: '' }
  expect(listed[2]).toEqual({
    name: 'sv-3',
    url,
    party,
    fault: null,
    release: usualRelease,
    asks: before + 1,
  })
  expect(await askJson(localnet.control, '/super-validators/sv-3')).toEqual(listed[2])
})

test('a fault is set, shown with its defaults, in force at once, and healed', async () => {
  const url = localnet.superValidators[0]?.url ?? ''
  const set = await put('sv-1', { kind: 'lie' })
  expect(set.status).toBe(200)
  expect(JSON.parse(set.text)).toMatchObject({ name: 'sv-1', fault: { kind: 'lie', alone: false } })
  expect((await askJson(url, alice)).entry.user).toMatch(/^mallory::/)

  const healed = await ask(localnet.control, fault('sv-1'), { method: 'DELETE' })
  expect([healed.status, JSON.parse(healed.text).fault]).toEqual([200, null])
  expect((await askJson(url, alice)).entry.user).toMatch(/^alice::/)
})

test('several faults are set at once, and replaced by the next', async () => {
  const both = [{ kind: 'skew', by: 5 }, { kind: 'error' }]
  expect(JSON.parse((await put('sv-1', both)).text).fault).toEqual(both)
  expect(JSON.parse((await put('sv-1', { kind: 'deny' })).text).fault).toEqual({ kind: 'deny' })
})

test('a closed port opens again where it was', async () => {
  const url = localnet.superValidators[0]?.url ?? ''
  await put('sv-1', { kind: 'refuse' })
  expect(await failure(ask(url, alice))).toBe('ECONNREFUSED')
  await put('sv-1', { kind: 'refuse' })
  await put('sv-1', { kind: 'error' })
  expect((await ask(url, alice)).status).toBe(500)
})

test.each([
  [{ host: 'rebound.evil.example:9500' }, 421, 'host name'],
  [{ origin: 'https://evil.example' }, 403, 'another site'],
  [{ 'sec-fetch-site': 'same-site' }, 403, 'another site'],
])('a request with the headers %j is refused', async (headers, status, text) => {
  for (const [method, path, body] of [
    ['PUT', fault('sv-1'), '{"kind":"lie"}'],
    ['DELETE', '/faults', undefined],
    ['POST', '/time/advance', '{"duration":"1d"}'],
  ] as const) {
    const given = body === undefined ? {} : { body }
    const heard = await ask(localnet.control, path, { method, headers: { ...headers }, ...given })
    expect([heard.status, JSON.parse(heard.text).error]).toEqual([status, expect.stringContaining(text)])
  }
  expect(localnet.show().map((shown) => shown.fault)).toEqual([null, null, null, null])
})

test('the host names of the control address can be set', async () => {
  await using named = await startLocalnet({ superValidators: 1, allowedHosts: ['localnet'] })
  expect((await ask(named.control, '/time', { headers: { host: 'localnet:9500' } })).status).toBe(200)
  expect((await ask(named.control, '/time', { headers: { host: 'other:9500' } })).status).toBe(421)
})

test('an invalid request gets the error form of the API', async () => {
  const { hostname, port } = new URL(localnet.control)
  for (const bytes of ['nonsense\r\n\r\n', 'GET / HTTP/1.1\r\nhost : a\r\n\r\n']) {
    const socket = connect(Number(port), hostname)
    socket.write(bytes)
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*\r\n\r\n\{"error":".+"\}$/s)
  }
  const many = await put('sv-1', `[${Array(2_000).fill('{}').join()}]`)
  expect([many.status, JSON.parse(many.text)]).toEqual([400, { error: 'a body has at most 1000 values' }])
})

test('all are healed at once', async () => {
  await put('sv-1', { kind: 'refuse' })
  await put('sv-4', { kind: 'hang' })
  const healed = JSON.parse((await ask(localnet.control, '/faults', { method: 'DELETE' })).text)
  expect(healed.map((shown: { fault: unknown }) => shown.fault)).toEqual([null, null, null, null])
  for (const { url } of localnet.superValidators) expect((await ask(url, alice)).status).toBe(200)
})

test('the table of faults is short enough to read: kind, sentence, own options', async () => {
  const { text } = await ask(localnet.control, '/faults')
  expect(text.length).toBeLessThan(9_000)
  const table = JSON.parse(text)
  expect(table.map(({ kind }: { kind: string }) => kind)).toEqual(nodeFaultKinds)
  for (const { sentence, options } of table) {
    expect(sentence).toMatch(/^[a-z].*[^.]$/)
    expect(options).not.toHaveProperty('kind')
    expect(options).not.toHaveProperty('only')
  }
  const delay = table.find(({ kind }: { kind: string }) => kind === 'delay')
  expect(delay.options.ms).toMatchObject({ type: 'integer', default: 1000 })
})

test.each([
  ['{"kind":"lies"}', 400, /no fault is called \\"lies\\"; known kinds: lag, /],
  ['{"kind":"delay","ms":"1s"}', 400, /delay: ms must be a number; known kinds/],
  ['{"kind":', 400, /the body is no JSON/],
  ['', 400, /the body is no JSON/],
  ['null', 400, /a fault has a kind/],
  [`"${'x'.repeat(70_000)}"`, 413, /at most 65536 bytes/],
])('a malformed fault %.20s is refused with a reason, and changes nothing', async (body, status, error) => {
  const heard = await put('sv-2', body)
  expect(heard.status).toBe(status)
  expect(heard.text).toMatch(error)
  expect((await askJson(localnet.control, '/super-validators/sv-2')).fault).toBeNull()
})

test('an unknown path is a 404 that lists the paths', async () => {
  const unknown = await put('sv-9', { kind: 'lie' })
  expect(unknown.status).toBe(404)
  expect(JSON.parse(unknown.text).error).toBe(
    'no super validator is called "sv-9"; known: sv-1, sv-2, sv-3, sv-4',
  )
  for (const path of ['/', '/nope', '/faults/lie', '/super-validators/', '/super-validators/sv-1/faults']) {
    expect((await ask(localnet.control, path)).status).toBe(404)
  }
  expect((await ask(localnet.control, '/super-validators/%zz')).status).toBe(400)
})

test('a path says which methods it takes', async () => {
  const heard = await ask(localnet.control, fault('sv-1'), { method: 'POST', body: '{}' })
  expect([heard.status, heard.headers['allow']]).toEqual([405, 'PUT, DELETE'])
})

test('the time is shown, and cannot be moved if the localnet has no clock of its own', async () => {
  const before = Date.now()
  const { now } = await askJson(localnet.control, '/time')
  expect(Date.parse(now)).toBeGreaterThanOrEqual(before)
  expect(Date.parse(now)).toBeLessThanOrEqual(Date.now())
  const heard = await ask(localnet.control, '/time/advance', { method: 'POST', body: '{"duration":"1s"}' })
  expect([heard.status, heard.text]).toEqual([404, '{"error":"the time of this localnet cannot be moved"}'])
})

describe('with a clock that can be moved,', () => {
  let movable: WorldLocalnet
  beforeEach(async () => {
    const clock = new AdvancingClock(new ManualClock(Date.UTC(2026, 0, 1)))
    movable = await startLocalnet({ superValidators: 1 }, { clock })
  })
  afterEach(() => movable[Symbol.asyncDispose]())
  const advance = (body: string) => ask(movable.control, '/time/advance', { method: 'POST', body })

  test('time moves forward at once for every node, and the answer says what time it is', async () => {
    const [{ url } = { url: '' }] = movable.superValidators
    expect((await ask(url, alice)).status).toBe(200)
    const heard = await advance('{"duration":"120d"}')
    expect([heard.status, heard.text]).toEqual([200, '{"now":"2026-05-01T00:00:00.000Z"}'])
    expect(await askJson(movable.control, '/time')).toEqual({ now: '2026-05-01T00:00:00.000Z' })
    expect((await ask(url, alice)).status).toBe(404)
  })

  test.each([
    '',
    'null',
    '"60d"',
    '{"duration":60}',
    '{"duration":"-1s"}',
    '{"duration":"99999999999999d"}',
    '{"duration":"63552d"}',
  ])('the body %s moves nothing', async (body) => {
    const heard = await advance(body)
    expect(heard.status).toBe(400)
    expect(JSON.parse(heard.text).error).toMatch(/such as {"duration":"60d"}|time ends with the year 2199/)
    expect(await askJson(movable.control, '/time')).toEqual({ now: '2026-01-01T00:00:00.000Z' })
  })
})

test('a connection on which more than 100 requests wait is closed', async () => {
  await using localnet = await startLocalnet({ superValidators: 1 })
  const requests = (count: number) =>
    `${'GET /super-validators HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(count)}GET /nowhere HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`
  const answersTo = async (count: number) =>
    (await speak(localnet.control, requests(count)).catch(() => '')).split('HTTP/1.1 ').length - 1
  expect(await answersTo(50)).toBe(51)
  expect(await answersTo(2_000)).toBeLessThan(2_000)
})
