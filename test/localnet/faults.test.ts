import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { NoFaultError, prepareFaults } from '../../src/localnet/faults.ts'
import { startLocalnet } from '../../src/localnet/localnet.ts'
import { nextHangUp } from '../support/next-hang-up.ts'
import { ask, askJson, byParty, failure, list } from './ask.ts'
import { bodyCases } from './faults/bodies.ts'
import { alice, type FaultyLocalnet, scans, startFaultyLocalnet } from './faults/faulty-localnet.ts'
import { transportCases } from './faults/transport.ts'
import { viewCases } from './faults/views.ts'

let net: FaultyLocalnet

beforeAll(async () => {
  net = await startFaultyLocalnet()
})
afterEach(() => net.heal())
afterAll(() => net[Symbol.asyncDispose]())

/** Faults whose effect the tests of the daemon, of the doctor or of snapshots do not show. */
const cases = { ...transportCases, ...bodyCases, ...viewCases }

describe('a super validator whose scan', () => {
  test.each(Object.entries(cases))(
    'has the fault %s shows it, and is healthy once healed',
    async (_, show) => {
      const { localnet, faulty, honest } = net
      await show(net)
      await localnet.setFault('sv-1', undefined)
      expect((await ask(faulty, alice)).text).toBe((await honest(alice)).text)
    },
  )
})

describe('plausible lies', () => {
  test('answer what was asked: the name, the party, the prefix, the size of the page', async () => {
    const { faulty, set } = net
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
    const { faulty, set, honest } = net
    await set({ kind: 'lie' })
    expect((await ask(faulty, list('', 0))).text).toBe((await honest(list('', 0))).text)
    expect((await ask(faulty, byParty('alice'))).status).toBe(400)
  })
})

describe('faults', () => {
  test('of several kinds act together: late lies, garbled', async () => {
    const { clock, faulty, set } = net
    await set([{ kind: 'delay', ms: 100 }, { kind: 'lie' }, { kind: 'misshapen' }])
    const waits = clock.nextTimer()
    const answer = ask(faulty, alice)
    await waits
    clock.advance(100)
    expect(JSON.parse((await answer).text).result.entry.user).toMatch(/^mallory/)
  })

  test('that leave nothing to rewrite do not end the node', async () => {
    const { faulty, set } = net
    await set([{ kind: 'garble' }, { kind: 'reorder' }, { kind: 'new-field' }])
    expect((await ask(faulty, alice)).status).toBe(200)
    await set([{ kind: 'garble', as: 'half' }, { kind: 'lie' }])
    const featured = await ask(faulty, '/api/scan/v0/featured-apps')
    expect(featured.status).toBe(200)
    expect(() => JSON.parse(featured.text)).toThrow(SyntaxError)
  })

  test('that take long end quietly when the caller leaves', async () => {
    const { localnet, faulty, set } = net
    await set({ kind: 'gzip-bomb' })
    const arrived = localnet.nextRequest('sv-1')
    const leave = new AbortController()
    const gone = nextHangUp(faulty)
    const answer = failure(ask(faulty, alice, { signal: leave.signal }))
    await arrived
    leave.abort()
    await Promise.all([gone, answer])
    await set({ kind: 'gzip-bomb', bytes: 1 })
    expect((await ask(faulty, alice)).status).toBe(200)
  })

  test('of releases answer `/version` oddly, or know no path', async () => {
    const { faulty, set } = net
    const version = '/api/scan/version'
    await set({ kind: 'odd-version', body: 'soon' })
    expect(await ask(faulty, version)).toMatchObject({ status: 200, text: 'soon' })
    await set({ kind: 'unknown-path' })
    expect((await ask(faulty, version)).status).toBe(404)
  })

  test('concern the reads of `only`, and no others', async () => {
    const { faulty, set, honest } = net
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
    await short[Symbol.asyncDispose]()
    expect(await gone).toBe('ECONNRESET')
  })

  test.each([
    [{ kind: 'explode' }, /^no fault is called "explode"; known kinds: lag, skew, /],
    [{}, /^a fault has a kind; known kinds: /],
    [null, /^a fault has a kind/],
    ['lie', /^a fault has a kind/],
    [{ kind: 'delay', ms: -1 }, /^delay: ms must be at least 0/],
    [{ kind: 'lie', loud: true }, /^lie: .*loud/],
    [{ kind: 'lie', only: ['by-nam'] }, /^lie: only\.0 must be one of /],
    [{ kind: 'refuse', only: ['by-name'] }, /^refuse: only: a closed port concerns every read/],
    [[{ kind: 'lie' }, { kind: 'explode' }], /"explode"/],
  ])('are checked before they are set: %j', (fault, message) => {
    expect(() => prepareFaults(fault)).toThrow(NoFaultError)
    expect(() => prepareFaults(fault)).toThrow(message)
  })
})
