import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { AskOptions, Heard } from '../localnet/ask.ts'
import { startStage } from '../support/daemon.ts'
import { openDoors } from './doors.ts'
import { type Item, parseDictionary, parseList } from './structured-fields.ts'

const bases = ['/v0/scan-proxy', '/api/validator/v0/scan-proxy', '/api/scan/v0', '/v0']
const byName = (name: string, base = '/v0') => `${base}/ans-entries/by-name/${name}.unverified.cns`
const live: AskOptions = { headers: { 'x-bft-live': '?1' } }

const stage = await startStage()
const doors = await openDoors(stage)

afterAll(async () => {
  await doors[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
})

const cacheOf = ({ headers }: Heard): Item | undefined => parseList(String(headers['cache-status']))[0]
const fwd = (reason: string) => ({
  value: { token: 'bft-scan-proxy' },
  params: { fwd: { token: reason }, stored: true },
})
const seconds = (ms: number) => `@${Math.floor(ms / 1000)}`
const since = (ms: number): AskOptions => ({ headers: { 'x-bft-not-before': seconds(ms) } })

describe('x-bft-live asks the super validators, whatever is stored:', () => {
  test.each(bases)('%s', async (base) => {
    const path = byName('alice', base)
    const stored = await doors.ask(path)
    const asks = stage.asks('by-name')
    const heard = await doors.ask(path, live)
    expect(stage.asks('by-name')).toBeGreaterThan(asks)
    expect(cacheOf(heard)).toEqual(fwd('request'))
    expect(heard.headers['age']).toBe('0')
    expect(heard.body).toEqual(stored.body)
  })

  test('later callers get its answer', async () => {
    const path = byName('bob')
    await doors.ask(path)
    stage.clock.advance(9_000)
    expect((await doors.ask(path)).headers['age']).toBe('9')
    await doors.ask(path, live)
    const asks = stage.asks('by-name')
    const heard = await doors.ask(path)
    expect(cacheOf(heard)?.params).toMatchObject({ hit: true })
    expect(heard.headers['age']).toBe('0')
    expect(stage.asks('by-name')).toBe(asks)
  })

  test('a caller that has the same bytes already gets a 304', async () => {
    const etag = String((await doors.ask(byName('alice'))).headers['etag'])
    const heard = await doors.ask(byName('alice'), { headers: { 'x-bft-live': '?1', 'if-none-match': etag } })
    expect(heard.status).toBe(304)
    expect(cacheOf(heard)).toEqual(fwd('request'))
  })

  test('?0 is the same as no header', async () => {
    await doors.ask(byName('alice'))
    const heard = await doors.ask(byName('alice'), { headers: { 'x-bft-live': '?0' } })
    expect(cacheOf(heard)?.params).toMatchObject({ hit: true })
  })

  test('a read by POST, with and without a body that is part of the question', async () => {
    for (const [path, body] of [
      ['/v0/ans-rules', '{}'],
      ['/v0/scan-proxy/ans-rules', '{}'],
    ] as const) {
      const post = { method: 'POST', body }
      await doors.ask(path, post)
      expect(cacheOf(await doors.ask(path, post))?.params, path).toMatchObject({ hit: true })
      expect(cacheOf(await doors.ask(path, { ...post, ...live })), path).toEqual(fwd('request'))
    }
  })

  test('a failed live read is an error, and the stored answer stays', async () => {
    const path = byName('carol')
    await doors.ask(path)
    stage.clock.advance(1)
    await stage.fault(stage.names, 'error')
    const heard = await doors.ask(path, live)
    await stage.fault(stage.names, undefined)
    expect(heard).toMatchObject({ status: 502, headers: { 'x-bft-error': 'notEnoughScans' } })
    expect(cacheOf(await doors.ask(path))?.params).toMatchObject({ hit: true })
  })

  test('a live read spends a miss, and is refused when none is left', async () => {
    await using limited = await openDoors(stage, { missesPerSecond: 1 })
    const path = byName('dave')
    const statuses = [(await limited.ask(path)).status]
    for (let round = 0; round < 2; round++) statuses.push((await limited.ask(path, live)).status)
    expect(statuses).toEqual([200, 200, 429])
    expect((await limited.ask(path)).status, 'hits are not limited').toBe(200)
  })
})

test('cache-control: no-cache means nothing, because browsers add it to conditional requests', async () => {
  await doors.ask(byName('alice'))
  const heard = await doors.ask(byName('alice'), {
    headers: { 'cache-control': 'no-cache', pragma: 'no-cache' },
  })
  expect(cacheOf(heard)?.params).toMatchObject({ hit: true })
})

describe('x-bft-not-before wants nothing older than its time:', () => {
  test('a stored answer that was agreed since is served', async () => {
    const path = byName('erin')
    await doors.ask(path)
    stage.clock.advance(3_000)
    for (const agoMs of [3_000, 10_000, stage.clock.wall() + 1_000_000]) {
      const heard = await doors.ask(path, since(stage.clock.wall() - agoMs))
      expect(cacheOf(heard)?.params, `${agoMs} ms`).toMatchObject({ hit: true })
    }
  })

  test('an older one is not, and the new answer is stored', async () => {
    const path = byName('frank')
    await doors.ask(path)
    stage.clock.advance(3_000)
    const wanted = since(stage.clock.wall() - 2_000)
    expect(cacheOf(await doors.ask(path, wanted))).toEqual(fwd('request'))
    expect(cacheOf(await doors.ask(path, wanted))?.params).toMatchObject({ hit: true })
  })

  test('a time in the future is refused with 502 and the code behind, and nobody is asked', async () => {
    const path = byName('alice')
    await doors.ask(path)
    const asks = stage.asks()
    const heard = await doors.ask(path, since(stage.clock.wall() + 5_000))
    expect(heard).toMatchObject({ status: 502, headers: { 'x-bft-error': 'behind', 'retry-after': '5' } })
    const { error } = JSON.parse(heard.text)
    expect(error).toBe('No quorum of super validators is as recent as what was asked for.')
    expect(parseDictionary(String(heard.headers['x-bft-quorum']))).toMatchObject({ asked: { value: 0 } })
    expect(stage.asks()).toBe(asks)
  })

  test('with x-bft-live the later of both times counts', async () => {
    const path = byName('alice')
    await doors.ask(path)
    const both = (time: string) =>
      doors.ask(path, { headers: { 'x-bft-live': '?1', 'x-bft-not-before': time } })
    expect(cacheOf(await both('@0'))).toEqual(fwd('request'))
    expect((await both('@999999999999999')).status).toBe(502)
  })
})

test.each([
  ['x-bft-live', '1'],
  ['x-bft-live', ''],
  ['x-bft-live', '?1, ?1'],
  ['x-bft-live', 'true'],
  ['x-bft-not-before', '1767225600'],
  ['x-bft-not-before', '@1767225600.5'],
  ['x-bft-not-before', '@9999999999999999'],
  ['x-bft-not-before', 'Thu, 01 Jan 2026 00:00:00 GMT'],
])('%s: %s is refused with a sentence, whatever is stored', async (name, value) => {
  const posted = ['/v0/scan-proxy/ans-rules', { method: 'POST', body: '{}' }] as const
  for (const [path, options] of [...bases.map((base) => [byName('alice', base), {}] as const), posted]) {
    const heard = await doors.ask(path, { ...options, headers: { [name]: value } })
    expect(heard).toMatchObject({ status: 400, headers: { 'x-bft-error': 'malformedHeader' } })
    expect(JSON.parse(heard.text).error).toContain(`The header '${name}' was malformed:\n'${value}' is not `)
  }
})

/** HTTP permits these characters in the value of a header. */
const octet = fc.integer({ min: 0x20, max: 0xff }).filter((code) => code !== 0x7f)
const anyValue = fc.array(octet, { maxLength: 40 }).map((codes) => String.fromCharCode(...codes))
const nearMiss = fc.stringMatching(/^[@?]{0,2}-?[0-9.,; ]{0,20}$/)
const wellFormed = fc.oneof(
  fc.constantFrom('?1', '?0'),
  fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }).map((time) => `@${time}`),
)
const value = fc.option(fc.oneof(anyValue, nearMiss, wellFormed), { nil: undefined })

test('no value of the two headers causes a fault or another answer; garbage is refused with 400', async () => {
  const path = byName('alice')
  const expected = (await doors.ask(path)).body
  await fc.assert(
    fc.asyncProperty(value, value, async (isLive, notBefore) => {
      const headers = {
        ...(isLive !== undefined && { 'x-bft-live': isLive }),
        ...(notBefore !== undefined && { 'x-bft-not-before': notBefore }),
      }
      const heard = await doors.ask(path, { headers })
      const isWell = [
        isLive === undefined || /^[ \t]*\?[01][ \t]*$/.test(isLive),
        notBefore === undefined || /^[ \t]*@-?\d{1,15}[ \t]*$/.test(notBefore),
      ]
      if (isWell.includes(false)) {
        expect(heard).toMatchObject({ status: 400, headers: { 'x-bft-error': 'malformedHeader' } })
      } else if (Number(notBefore?.trim().slice(1) ?? 0) * 1000 > stage.clock.wall()) {
        expect(heard).toMatchObject({ status: 502, headers: { 'x-bft-error': 'behind' } })
      } else expect([heard.status, heard.body]).toEqual([200, expected])
    }),
    { numRuns: 500 },
  )
})
