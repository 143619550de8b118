import { afterAll, describe, expect, test } from 'vitest'
import { digest } from '../../src/base/lib/digest.ts'
import type { Served } from '../../src/core/cache/answers.ts'
import type { AsOf } from '../../src/core/cache/as-of.ts'
import type { Caller } from '../../src/core/scan/reader.ts'
import { answerOf } from '../cache/samples.ts'
import type { Heard } from '../localnet/ask.ts'
import { startStage } from '../support/daemon.ts'
import { ago } from '../support/manual-clock.ts'
import { openDoors } from './doors.ts'
import { parseDictionary, parseItem, parseList } from './structured-fields.ts'

const paths = [
  '/v0/scan-proxy/ans-entries/by-name/alice.unverified.cns',
  '/api/validator/v0/scan-proxy/ans-entries/by-name/alice.unverified.cns',
  '/api/scan/v0/ans-entries/by-name/alice.unverified.cns',
  '/v0/ans-entries/by-name/alice.unverified.cns',
]
const entry = { name: 'alice.unverified.cns', user: 'alice::1220ab', url: '', description: '' }
const asOf: AsOf = { at: 1_795_316_400_999, claim: 'binding', basis: 'snapshot', generation: 812 }

let served: Served
let callers: Caller[] = []

const stage = await startStage()
const { reader } = stage.daemon.scan
const mirrored = await openDoors(stage, {
  reader: {
    answer: (_question, caller = {}) => {
      callers.push(caller)
      return served
    },
    quorumOfNobody: (read) => reader.quorumOfNobody(read),
  },
})

afterAll(async () => {
  await mirrored[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
})

function fromMirror(change: Partial<AsOf> = {}, endsAt?: number): Served {
  callers = []
  const body = Buffer.from(JSON.stringify({ entry }))
  const answer = answerOf(body, { digest: digest(body), ...(endsAt !== undefined && { endsAt }) })
  return {
    answer,
    agreedAt: ago(stage.clock, 10_000),
    how: 'mirror',
    stored: true,
    lifetime: { freshMs: 30_000, staleMs: 300_000 },
    asOf: { ...asOf, ...change },
  }
}

const said = ({ headers }: Heard) => parseItem(String(headers['x-bft-as-of']))

describe('an answer of the mirror says so on every path:', () => {
  test.each(paths)('%s', async (path) => {
    served = fromMirror()
    const heard = await mirrored.ask(path)
    expect(heard.status).toBe(200)
    expect(heard.headers['x-bft-as-of']).toBe('@1795316400;claim=binding;basis=snapshot;generation=812')
    expect(parseList(String(heard.headers['cache-status']))).toEqual([
      { value: { token: 'bft-scan-proxy' }, params: { hit: true, detail: { token: 'mirror' } } },
    ])
    expect(parseDictionary(String(heard.headers['x-bft-quorum']))).toMatchObject({
      agreed: { value: 2 },
      threshold: { value: 2 },
    })
    expect(heard.headers['x-bft-agreed']).toBe('"sv-1", "sv-2"')
    expect(heard.headers).toMatchObject({ age: '10', 'cache-control': 'public, max-age=30' })
    expect(JSON.parse(heard.text)).toEqual({ entry })
  })
})

test.each<Partial<AsOf>>([
  { claim: 'state', basis: 'stream', generation: 0 },
  { basis: 'live', at: 1_000 },
  { at: -1 },
])('the header is one date of RFC 9651 for %o', async (change) => {
  served = fromMirror(change)
  const { at, claim, basis, generation } = { ...asOf, ...change }
  expect(said(await mirrored.ask(paths[0] as string))).toEqual({
    value: { date: Math.floor(at / 1000) },
    params: { claim: { token: claim }, basis: { token: basis }, generation },
  })
})

test('a 304 repeats the header, and its cache-status', async () => {
  served = fromMirror()
  for (const path of paths) {
    const full = await mirrored.ask(path)
    const headers = { 'if-none-match': String(full.headers['etag']) }
    const unchanged = await mirrored.ask(path, { headers })
    expect(unchanged).toMatchObject({ status: 304, text: '' })
    for (const name of [
      'x-bft-as-of',
      'x-bft-quorum',
      'x-bft-agreed',
      'cache-status',
      'cache-control',
      'age',
    ]) {
      expect(full.headers[name], name).toBeDefined()
      expect(unchanged.headers[name], name).toBe(full.headers[name])
    }
  }
})

test('caches keep a mirrored answer no longer than its entry lives', async () => {
  served = fromMirror({}, stage.clock.wall() + 5_500)
  const { headers } = await mirrored.ask(paths[0] as string)
  const maxAge = Number(/max-age=(\d+)/.exec(String(headers['cache-control']))?.[1])
  expect(maxAge - Number(headers['age'])).toBe(5)
})

test('pages of other origins may read the header', async () => {
  served = fromMirror()
  const { headers } = await mirrored.ask(paths[0] as string)
  expect(String(headers['access-control-expose-headers']).split(', ')).toContain('x-bft-as-of')
})

test('an answer that super validators were asked for has no such header, stored or not', async () => {
  for (let round = 0; round < 2; round++) {
    for (const path of paths) expect((await stage.get(path)).headers['x-bft-as-of']).toBeUndefined()
  }
})

test('an answer that follows a mirrored one of the same bytes does not inherit its header', async () => {
  served = fromMirror()
  await mirrored.ask(paths[0] as string)
  const { asOf: _, ...plain } = served
  served = { ...plain, how: 'hit' }
  expect((await mirrored.ask(paths[0] as string)).headers['x-bft-as-of']).toBeUndefined()
})

test('the read path gets the time that the caller requests, on every path', async () => {
  served = fromMirror()
  for (const path of paths) {
    await mirrored.ask(path)
    await mirrored.ask(path, { headers: { 'x-bft-live': '?1' } })
    await mirrored.ask(path, { headers: { 'x-bft-not-before': '@1700000000' } })
  }
  const wanted = [undefined, stage.clock.wall(), 1_700_000_000_000]
  expect(callers.map(({ notBefore }) => notBefore)).toEqual(paths.flatMap(() => wanted))
})
