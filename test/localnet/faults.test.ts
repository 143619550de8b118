import { Agent, request } from 'node:http'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type FaultKind,
  type Faults,
  faultKinds,
  NoFaultError,
  prepareFaults,
} from '../../src/localnet/faults.ts'
import { startLocalnet, type WorldLocalnet } from '../../src/localnet/localnet.ts'
import { ask, askJson, byName, byParty, failure, list } from './ask.ts'
import { WatchedClock } from './watched-clock.ts'

const clock = new WatchedClock()
let localnet: WorldLocalnet
/** The nodes of sv-1, which has the fault, of sv-2, and of sv-4, which is healthy throughout. */
let faulty: string
let second: string
let healthy: string

beforeAll(async () => {
  localnet = await startLocalnet({ superValidators: 4 }, { clock })
  const url = (name: string) => localnet.superValidators.find((shown) => shown.name === name)?.url ?? ''
  faulty = url('sv-1')
  second = url('sv-2')
  healthy = url('sv-4')
})
afterEach(async () => {
  for (const { name } of localnet.superValidators) await localnet.setFault(name, undefined)
})
afterAll(() => localnet[Symbol.asyncDispose]())

const alice = byName('alice.unverified.cns')
const scans = '/api/scan/v0/scans'
const version = '/api/scan/version'
const set = (fault: Faults) => localnet.setFault('sv-1', fault)
const honest = (path: string) => ask(healthy, path)
const post = { method: 'POST', body: '{}' }
const rules = '/api/scan/v0/ans-rules'

/** Whether a promise is open still after a whole exchange with another node. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const settled = promise.then(
    () => 'settled',
    () => 'settled',
  )
  return (await Promise.race([settled, honest(alice)])) !== 'settled'
}

async function expectStatus(fault: Faults, status: number, text: string | RegExp) {
  await set(fault)
  const heard = await ask(faulty, alice)
  expect(heard.status).toBe(status)
  expect(heard.text).toEqual(typeof text === 'string' ? text : expect.stringMatching(text))
  return heard
}

async function expectHonestValue(path: string): Promise<string> {
  const [heard, other] = await Promise.all([ask(faulty, path), honest(path)])
  expect(heard.status).toBe(other.status)
  expect(JSON.parse(heard.text)).toEqual(JSON.parse(other.text))
  return heard.text
}

/** What a client of a super validator sees while its node has the fault. A kind without a case does not compile. */
const cases: Readonly<Record<FaultKind, () => Promise<void>>> = {
  async hang() {
    await set({ kind: 'hang' })
    const leave = new AbortController()
    const arrived = localnet.nextRequest('sv-1')
    const left = localnet.nextHangUp('sv-1')
    const answer = ask(faulty, alice, { signal: leave.signal })
    await arrived
    clock.advance(3_600_000)
    expect(await isPending(answer)).toBe(true)
    leave.abort()
    expect(await failure(answer)).toBe('ABORT_ERR')
    expect(await left).toMatchObject({ read: 'by-name', target: alice })
  },

  async refuse() {
    const agent = new Agent({ keepAlive: true })
    const kept = Promise.withResolvers<void>()
    request(`${faulty}${alice}`, { agent }, (response) => response.resume())
      .on('socket', (socket) => socket.on('close', () => kept.resolve()))
      .end()
    await localnet.nextRequest('sv-1')
    await set({ kind: 'refuse' })
    await kept.promise
    expect(await failure(ask(faulty, alice))).toBe('ECONNREFUSED')
    await localnet.setFault('sv-1', undefined)
    await expectHonestValue(alice)
  },

  async reset() {
    await set({ kind: 'reset' })
    expect(await failure(ask(faulty, alice))).toBe('ECONNRESET')
    await set({ kind: 'reset', after: 'half' })
    const heard = await ask(faulty, alice).catch((error: NodeJS.ErrnoException) => error)
    if (heard instanceof Error) expect(heard.code).toBe('ECONNRESET')
    else expect(heard.whole).toBe(false)
  },

  async delay() {
    await set({ kind: 'delay', ms: 2000 })
    const waits = clock.nextTimer()
    const answer = ask(faulty, alice)
    await waits
    clock.advance(1999)
    expect(await isPending(answer)).toBe(true)
    clock.advance(1)
    expect((await answer).text).toBe((await honest(alice)).text)
  },

  async drip() {
    const { body } = await honest(alice)
    await set({ kind: 'drip', bytes: Math.ceil(body.length / 3), every: 500 })
    let waits = clock.nextTimer()
    const answer = ask(faulty, alice)
    for (let part = 0; part < 2; part++) {
      await waits
      expect(await isPending(answer)).toBe(true)
      waits = clock.nextTimer()
      clock.advance(500)
    }
    const heard = await answer
    expect([heard.whole, heard.text]).toEqual([true, body.toString()])
  },

  async truncate() {
    const { body } = await honest(alice)
    for (const framing of ['length', 'chunked'] as const) {
      await set({ kind: 'truncate', framing })
      const heard = await ask(faulty, alice)
      expect([heard.status, heard.whole]).toEqual([200, false])
      expect('content-length' in heard.headers).toBe(framing === 'length')
      expect(body.subarray(0, heard.body.length)).toEqual(heard.body)
      expect(heard.body.length).toBeLessThan(body.length)
    }
    expect((await ask(faulty, '/api/scan/livez')).whole).toBe(false)
  },

  async huge() {
    await set({ kind: 'huge', bytes: 1_000_001 })
    const padded = await ask(faulty, alice)
    expect(padded.headers['content-length']).toBe('1000001')
    expect([padded.whole, padded.body.length]).toEqual([true, 1_000_001])
    await expectHonestValue(alice)
    await set({ kind: 'huge', framing: 'chunked' })
    const part = await ask(faulty, alice, { enough: 1_000_000 })
    expect(part.headers).not.toHaveProperty('content-length')
    expect(part.whole).toBe(false)
    await set({ kind: 'huge' })
    expect((await ask(faulty, alice, { enough: 1 })).headers['content-length']).toBe(String(32 * 1024 ** 2))
  },

  async 'gzip-bomb'() {
    await set({ kind: 'gzip-bomb', bytes: 40_000_000 })
    const heard = await ask(faulty, alice)
    expect(heard.headers['content-encoding']).toBe('gzip')
    expect(heard.body.length).toBeLessThan(100_000)
    let [length, start] = [0, '']
    for await (const part of Readable.from([heard.body]).pipe(createGunzip())) {
      if (length === 0) start = part.toString().trimEnd()
      length += part.length
    }
    expect(start).toBe((await honest(alice)).text)
    expect(length).toBeGreaterThanOrEqual(40_000_000)
  },

  async unauthorized() {
    const heard = await expectStatus({ kind: 'unauthorized' }, 401, /^The resource requires authentication/)
    expect(heard.headers['www-authenticate']).toMatch(/^Bearer realm=/)
  },

  async forbidden() {
    await expectStatus({ kind: 'forbidden' }, 403, '{"error":"Authorization Failed for anonymous"}')
  },

  async 'rate-limit'() {
    const text = 'Too Many Requests: Server is busy, please try again later.'
    const heard = await expectStatus({ kind: 'rate-limit', retryAfter: 7 }, 429, text)
    expect(heard.headers).toMatchObject({ 'retry-after': '7', 'content-type': 'text/plain; charset=UTF-8' })
  },

  async redirect() {
    const heard = await expectStatus({ kind: 'redirect' }, 302, '')
    expect(heard.headers['location']).toBe(`${second}${alice}`)
    await expectStatus({ kind: 'redirect', code: 308 }, 308, '')
  },

  async error() {
    await expectStatus({ kind: 'error' }, 500, '{\n  "error" : "An unexpected error occurred."\n}')
  },

  async unavailable() {
    const uri = `${faulty}${alice}`
    const error = `The server is taking too long to respond to the (GET) request at ${uri}`
    await expectStatus({ kind: 'unavailable' }, 503, JSON.stringify({ error }))
  },

  async 'bad-gateway'() {
    const heard = await expectStatus({ kind: 'bad-gateway' }, 502, /^<html>/)
    expect(heard.headers['content-type']).toBe('text/html')
  },

  async status() {
    await expectStatus({ kind: 'status', code: 418 }, 418, `{"error":"418 I'm a Teapot"}`)
    await expectStatus({ kind: 'status', code: 410, error: 'gone' }, 410, '{"error":"gone"}')
    await expectStatus({ kind: 'status', code: 204 }, 204, '')
  },

  async 'old-release'() {
    const uri = `${faulty}${alice}`
    await expectStatus({ kind: 'old-release' }, 404, new RegExp(`could not be found: ${RegExp.escape(uri)}"`))
    expect((await askJson(faulty, version)).version).not.toBe((await askJson(healthy, version)).version)
    expect((await ask(faulty, '/api/scan/readyz')).status).toBe(200)
  },

  async html() {
    await expectStatus({ kind: 'html' }, 200, /^<html>/)
  },

  async garble() {
    for (const as of ['noise', 'half'] as const) {
      await set({ kind: 'garble', as })
      const heard = await ask(faulty, alice)
      expect(heard.headers['content-type']).toBe('application/json')
      expect(heard.whole).toBe(true)
      expect(() => JSON.parse(heard.text)).toThrow(SyntaxError)
    }
    await set({ kind: 'garble', as: 'utf-8' })
    const heard = await ask(faulty, alice)
    expect(() => JSON.parse(heard.text)).not.toThrow()
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(heard.body)).toThrow(TypeError)
  },

  async misshapen() {
    await set({ kind: 'misshapen' })
    expect(await askJson(faulty, alice)).toEqual({ result: await askJson(healthy, alice) })
  },

  async 'duplicate-keys'() {
    await set({ kind: 'duplicate-keys' })
    expect(await expectHonestValue(alice)).toContain('{"entry":{"contract_id":null,"contract_id":"00')
    expect(await expectHonestValue(list())).toContain('{"entries":null,"entries":[')
    expect(await expectHonestValue(byName('nobody'))).toContain('{"error":null,"error":"No ans')
  },

  async 'lone-surrogate'() {
    await set({ kind: 'lone-surrogate' })
    for (const path of [alice, list(), byName('dso.cns'), byName('nobody')]) {
      const { text } = await ask(faulty, path)
      expect(text).toContain('\\ud800"')
      expect(text.replace('\\ud800', '')).toBe((await honest(path)).text)
    }
  },

  async deep() {
    await set({ kind: 'deep', levels: 65 })
    const { nested, ...rest } = await askJson(faulty, alice)
    expect(JSON.stringify(nested)).toBe(`${'['.repeat(65)}${']'.repeat(65)}`)
    expect(rest).toEqual(await askJson(healthy, alice))
  },

  async 'round-number'() {
    await set({ kind: 'round-number' })
    await localnet.setFault('sv-2', { kind: 'round-number' })
    const path = '/api/scan/v0/dso'
    for (const [from, options] of [[alice], [rules, post], [path]] as const) {
      const [one, other] = await Promise.all([ask(faulty, from, options), ask(second, from, options)])
      expect(one.text).toContain('900719925474099')
      expect(one.text).not.toBe(other.text)
      const parsed = [one, other].map(({ text }) => ({ ...JSON.parse(text), sv_user: '', sv_party_id: '' }))
      expect(parsed[0]).toEqual(parsed[1])
    }
    expect((await ask(faulty, path)).text).toContain('"voting_threshold":3.000000000000000001,')
  },

  async 'new-field'() {
    await set({ kind: 'new-field' })
    const { entry, indexed_by } = await askJson(faulty, alice)
    const { indexed_by: inner, ...known } = entry
    expect([indexed_by, inner]).toEqual(['sv-1/0.8.0', 'sv-1/0.8.0'])
    expect({ entry: known }).toEqual(await askJson(healthy, alice))
    const update = (await askJson(faulty, rules, post)).ans_rules_update
    expect(update.contract.indexed_by).toBe('sv-1/0.8.0')
    expect(update.contract.payload).toEqual(localnet.world.ansRules.contract.payload)
  },

  async reorder() {
    await set({ kind: 'reorder' })
    expect(await expectHonestValue(alice)).not.toBe((await honest(alice)).text)
    const [mine, others] = await Promise.all([askJson(faulty, list()), askJson(healthy, list())])
    expect(mine.entries).not.toEqual(others.entries)
    expect(
      new Set(mine.entries.map((entry: object) => JSON.stringify(Object.entries(entry).sort()))),
    ).toEqual(new Set(others.entries.map((entry: object) => JSON.stringify(Object.entries(entry).sort()))))
    const [dso, truth] = await Promise.all([
      ask(faulty, '/api/scan/v0/dso'),
      askJson(healthy, '/api/scan/v0/dso'),
    ])
    expect(JSON.parse(dso.text).sv_node_states).toEqual(expect.arrayContaining(truth.sv_node_states))
    expect((await ask(faulty, '/api/scan/v0/dso')).text).toBe(dso.text)
  },

  async lag() {
    await set({ kind: 'lag', by: 3000 })
    const renewed = localnet.world.renew('bob.unverified.cns', clock.wall() + 10_000_000_000)
    const bob = byName('bob.unverified.cns')
    expect((await askJson(healthy, bob)).entry).toEqual(renewed)
    expect((await askJson(faulty, bob)).entry.contract_id).not.toBe(renewed.contract_id)
    clock.advance(3000)
    expect((await askJson(faulty, bob)).entry).toEqual(renewed)
  },

  async skew() {
    const name = 'brief.unverified.cns'
    localnet.world.put({ name, user: 'x::1220', expiresAt: clock.wall() + 60_000 })
    await set({ kind: 'skew', by: 60_001 })
    expect((await ask(faulty, byName(name))).status).toBe(404)
    expect((await honest(byName(name))).status).toBe(200)
    clock.advance(60_001)
    await set({ kind: 'skew', by: -60_000 })
    expect((await ask(faulty, byName(name))).status).toBe(200)
    expect((await honest(byName(name))).status).toBe(404)
  },

  async late() {
    const { updates } = localnet.world.annals
    await set({ kind: 'late', by: clock.wall() - (updates.at(-30)?.at ?? 0) / 1_000 })
    const [first, last] = [0, -1].map((at) => updates.at(at)?.body)
    const page = { method: 'POST', body: JSON.stringify({ page_size: 1000 }) }
    const info = { method: 'POST', body: JSON.stringify({ migration_id: 0 }) }
    const byId = (update: typeof first) => `/api/scan/v2/updates/${update?.['update_id']}`
    const ofMigration = '/api/scan/v0/backfilling/migration-info'
    expect((await ask(faulty, '/api/scan/v2/updates', page)).status).toBe(503)
    expect((await ask(faulty, byId(first))).status).toBe(404)
    expect((await ask(faulty, byId(last))).status).toBe(200)
    expect(await askJson(faulty, '/api/scan/v0/backfilling/status')).toEqual({ complete: false })
    const [[own], [whole]] = [
      (await askJson(faulty, ofMigration, info)).record_time_range,
      (await askJson(healthy, ofMigration, info)).record_time_range,
    ]
    expect(whole).toMatchObject({ min: first?.['record_time'], max: last?.['record_time'] })
    expect(own.min > whole.min && own.max === whole.max).toBe(true)
  },

  async deny() {
    await expectStatus({ kind: 'deny' }, 404, '{"error":"No ans entry found for name: alice.unverified.cns"}')
    expect((await ask(faulty, byName('dso.cns'))).status).toBe(404)
    expect((await ask(faulty, byParty(localnet.world.dsoParty))).status).toBe(404)
    expect((await askJson(faulty, list())).entries).toEqual([])
  },

  async uninitialised() {
    const text = '{\n  "error" : "No DsoRules contract found"\n}'
    await expectStatus({ kind: 'uninitialised' }, 404, text)
    expect((await ask(faulty, byParty('x::1220'))).text).toBe(text)
    expect((await ask(faulty, scans)).text).toBe(text)
    expect((await ask(faulty, rules, post)).status).toBe(500)
    expect((await askJson(faulty, list())).entries).toEqual([])
    expect((await ask(faulty, '/api/scan/readyz')).status).toBe(503)
    expect(await askJson(faulty, '/api/scan/status')).toEqual({ not_initialized: { active: false } })
  },

  async 'other-entry'() {
    await set({ kind: 'other-entry' })
    const { entry } = await askJson(faulty, alice)
    expect(entry.name).not.toBe('alice.unverified.cns')
    expect(entry).toEqual((await askJson(healthy, byName(entry.name))).entry)
    expect((await askJson(faulty, byName('nobody'))).entry.name).not.toBe('nobody')
    const { party } = localnet.superValidators[3] ?? { party: '' }
    expect((await askJson(faulty, byParty(party))).entry.user).not.toBe(party)
  },

  async 'ignore-query'() {
    await set({ kind: 'ignore-query' })
    expect(await askJson(faulty, list('alice', 1))).toEqual(await askJson(healthy, list()))
  },

  async 'repeat-item'() {
    await set({ kind: 'repeat-item' })
    const { entries } = await askJson(faulty, list('alice'))
    expect(entries[0]).toEqual(entries[1])
    expect(entries.slice(1)).toEqual((await askJson(healthy, list('alice'))).entries)
  },

  async lie() {
    await set({ kind: 'lie' })
    await localnet.setFault('sv-2', { kind: 'lie' })
    const asked: readonly (readonly [path: string, options?: typeof post])[] = [
      [alice],
      [byName('nobody.unverified.cns')],
      [byName('dso.cns')],
      [byParty(localnet.truth.entryByName('alice.unverified.cns')?.user ?? '')],
      [byParty('nobody::1220')],
      [list()],
      [list('kite', 2)],
      [list('nobody', 10)],
      [rules, post],
      ['/api/scan/v0/amulet-rules', post],
      ['/api/scan/v0/dso-party-id'],
      [scans],
      ['/api/scan/v0/splice-instance-names'],
    ]
    for (const [path, options] of asked) {
      const [one, other, truth] = await Promise.all(
        [faulty, second, healthy].map((url) => ask(url, path, options)),
      )
      expect([one?.status, one?.text]).toEqual([200, other?.text])
      expect(one?.text).not.toBe(truth?.text)
    }
    await localnet.setFault('sv-2', { kind: 'lie', alone: true })
    expect((await ask(second, alice)).text).not.toBe((await ask(faulty, alice)).text)
    expect((await ask(second, alice)).text).toBe((await ask(second, alice)).text)
  },

  async equivocate() {
    await set({ kind: 'equivocate' })
    const told = [await ask(faulty, alice), await ask(faulty, alice), await ask(faulty, alice)]
    expect(new Set([...told, await honest(alice)].map(({ text }) => text)).size).toBe(4)
  },
}

describe('a super validator whose scan', () => {
  test.each(faultKinds)('has the fault %s is seen to, and is healthy again once healed', async (kind) => {
    await cases[kind]()
    await localnet.setFault('sv-1', undefined)
    expect((await ask(faulty, alice)).text).toBe((await honest(alice)).text)
  })
})

describe('plausible lies', () => {
  test('answer what was asked: the name, the party, the prefix, the size of the page', async () => {
    await set({ kind: 'lie' })
    expect((await askJson(faulty, alice)).entry).toMatchObject({
      name: 'alice.unverified.cns',
      user: expect.stringMatching(/^mallory::1220[0-9a-f]{64}$/),
    })
    expect((await askJson(faulty, byParty('nobody::1220'))).entry.user).toBe('nobody::1220')
    for (const [prefix, size] of [
      ['', 1000],
      ['kite', 2],
      ['alice.unverified.cns', 1],
      ['zz', 5],
    ] as const) {
      const { entries } = await askJson(faulty, list(prefix, size))
      const names: string[] = entries.map(({ name }: { name: string }) => name)
      expect(names.length).toBeGreaterThan(0)
      expect(names.length).toBeLessThanOrEqual(size)
      expect(names.every((name) => name.startsWith(prefix))).toBe(true)
      expect(new Set(names).size).toBe(names.length)
    }
  })

  test('concern bad requests no more than honest answers do', async () => {
    await set({ kind: 'lie' })
    expect((await ask(faulty, list('', 0))).text).toBe((await honest(list('', 0))).text)
    expect((await ask(faulty, byParty('alice'))).status).toBe(400)
  })
})

describe('faults', () => {
  test('of several kinds act together: late lies, garbled', async () => {
    await set([{ kind: 'delay', ms: 100 }, { kind: 'lie' }, { kind: 'misshapen' }])
    const waits = clock.nextTimer()
    const answer = ask(faulty, alice)
    await waits
    clock.advance(100)
    expect(JSON.parse((await answer).text).result.entry.user).toMatch(/^mallory/)
  })

  test('that leave nothing to rewrite do not end the node', async () => {
    await set([{ kind: 'garble' }, { kind: 'reorder' }, { kind: 'lone-surrogate' }])
    expect((await ask(faulty, alice)).status).toBe(200)
  })

  test('that take long end quietly when the caller leaves', async () => {
    await set({ kind: 'drip', bytes: 1 })
    const waits = clock.nextTimer()
    const left = localnet.nextHangUp('sv-1')
    await ask(faulty, alice, { enough: 1 })
    await Promise.all([waits, left])
    clock.advance(100)
    await honest(alice)
    expect(clock.waiting).toBe(0)
    await set({ kind: 'gzip-bomb' })
    const arrived = localnet.nextRequest('sv-1')
    const leave = new AbortController()
    const gone = localnet.nextHangUp('sv-1')
    const answer = failure(ask(faulty, alice, { signal: leave.signal }))
    await arrived
    leave.abort()
    await Promise.all([gone, answer])
    await set({ kind: 'gzip-bomb', bytes: 1 })
    expect((await ask(faulty, alice)).status).toBe(200)
  })

  test('concern the reads of `only`, and no others', async () => {
    await set({ kind: 'lie', only: ['by-name', 'ans-entries'] })
    expect((await ask(faulty, alice)).text).not.toBe((await honest(alice)).text)
    expect((await ask(faulty, scans)).text).toBe((await honest(scans)).text)
    await set([
      { kind: 'error', only: ['scans'] },
      { kind: 'deny', only: ['by-name'] },
    ])
    expect([(await ask(faulty, scans)).status, (await ask(faulty, alice)).status]).toEqual([500, 404])
    expect((await ask(faulty, list())).status).toBe(200)
  })

  test('that fill connections end with the localnet', async () => {
    const short = await startLocalnet({ superValidators: 1 })
    const [{ url } = { url: '' }] = short.superValidators
    await short.setFault('sv-1', { kind: 'hang' })
    const answer = ask(url, alice)
    const gone = failure(answer)
    await short.nextRequest('sv-1')
    const never = failure(short.nextRequest('sv-1'))
    await short[Symbol.asyncDispose]()
    expect(await gone).toBe('ECONNRESET')
    expect(await never).toContain('the localnet is closed')
  })

  test.each([
    [{ kind: 'explode' }, /^no fault is called "explode"; known kinds: hang, refuse, /],
    [{}, /^a fault has a kind; known kinds: /],
    [null, /^a fault has a kind/],
    ['lie', /^a fault has a kind/],
    [{ kind: 'delay', ms: -1 }, /^delay: ms: /],
    [{ kind: 'lie', loud: true }, /^lie: .*loud/],
    [{ kind: 'lie', only: ['by-nam'] }, /^lie: only\.0: /],
    [{ kind: 'refuse', only: ['by-name'] }, /^refuse: only: a closed port concerns every read/],
    [[{ kind: 'lie' }, { kind: 'explode' }], /"explode"/],
  ])('are checked before they are set: %j', (fault, message) => {
    expect(() => prepareFaults(fault)).toThrow(NoFaultError)
    expect(() => prepareFaults(fault)).toThrow(message)
  })
})
