import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canonicalJson, type Json, parseJson } from '../../src/base/lib/canonical-json.ts'
import { byName } from '../daemon/questions.ts'
import { parseDictionary } from '../http/structured-fields.ts'
import type { Heard } from '../localnet/ask.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'
import { asking, directory, keysIn, verifies } from './verified.ts'

const alice = byName('alice.unverified.cns')
const nobody = byName('nobody.unverified.cns')
const amuletRules = '/api/scan/v0/amulet-rules'

let stage: Stage<undefined>
let keys: ReturnType<typeof keysIn>

beforeAll(async () => {
  stage = await startLiveStage()
  keys = keysIn(await stage.get(directory))
})

afterAll(() => stage[Symbol.asyncDispose]())

const digestOf = (data: string | Buffer) => createHash('sha256').update(data).digest()
const receiptIn = ({ headers }: Heard) => parseDictionary(String(headers['x-bft-receipt']))
const bytesOf = (heard: Heard, member: string) =>
  /:(.*?):/.exec(String(heard.headers['x-bft-receipt']).split(`${member}=`)[1] ?? '')?.[1] ?? ''
const pathOf = (heard: Heard, member: string) =>
  `/receipts/${Buffer.from(bytesOf(heard, member), 'base64').toString('base64url')}`

describe('a caller that asks for a receipt gets one that another library verifies:', () => {
  test.each([
    ['a name', alice, 200],
    ['an absence', nobody, 404],
    ['a name on the path of scans', '/api/scan/v0/ans-entries/by-name/bob.unverified.cns', 200],
    ['a list with a query', '/v0/ans-entries?page_size=2&name_prefix=a', 200],
  ] as const)('%s', async (_what, path, status) => {
    const heard = await stage.get(path, { headers: asking })
    expect(heard.status).toBe(status)
    expect(await verifies(heard, { path }, keys)).toBe(true)
    expect(String(heard.headers['content-digest'])).toBe(
      `sha-256=:${digestOf(heard.body).toString('base64')}:`,
    )
  })

  test('but not for another path, another query, another body or another status', async () => {
    const path = '/v0/ans-entries?page_size=2&name_prefix=a'
    const heard = await stage.get(path, { headers: asking })
    expect(await verifies(heard, { path: path.replace('=2', '=3') }, keys)).toBe(false)
    expect(await verifies(heard, { path: path.replace('v0', 'v1') }, keys)).toBe(false)
    expect(await verifies(heard, { path, method: 'POST' }, keys)).toBe(false)
    expect(await verifies({ ...heard, status: 404 }, { path }, keys)).toBe(false)
    const other = { ...heard.headers, 'content-digest': `sha-256=:${digestOf('x').toString('base64')}:` }
    expect(await verifies({ ...heard, headers: other }, { path }, keys)).toBe(false)
  })

  test('a read by POST covers the digest of its body, sent or not', async () => {
    const post = { method: 'POST', body: '{}' }
    const contentDigest = `sha-256=:${digestOf('{}').toString('base64')}:`
    for (const sent of [{}, { 'content-digest': contentDigest }]) {
      const heard = await stage.get(amuletRules, { ...post, headers: { ...asking, ...sent } })
      expect(heard.status).toBe(200)
      const request = { method: 'POST', path: amuletRules, headers: { 'content-digest': contentDigest } }
      expect(await verifies(heard, request, keys)).toBe(true)
      const other = { 'content-digest': contentDigest.replace(/:.{4}/, ':AAAA') }
      expect(await verifies(heard, { ...request, headers: other }, keys)).toBe(false)
    }
  })

  test('a read by POST whose digest is not that of its body has no receipt', async () => {
    const headers = { ...asking, 'content-digest': `sha-256=:${digestOf('[]').toString('base64')}:` }
    const heard = await stage.get(amuletRules, { method: 'POST', body: '{}', headers })
    expect(heard.status).toBe(200)
    expect(heard.headers['signature']).toBeUndefined()
  })
})

describe('a response has no receipt', () => {
  test('if nobody asks for one, but says that it could', async () => {
    const { headers } = await stage.get(alice)
    expect(headers).not.toHaveProperty('signature')
    expect(headers).not.toHaveProperty('content-digest')
    expect(headers['vary']).toBe('accept-signature')
    expect(headers['access-control-expose-headers']).toMatch(/x-bft-receipt.*signature-input, signature/)
  })

  test.each([
    ['another tag', 'sig=();tag="other"'],
    ['another key', 'sig=();tag="bft-scan-receipt";keyid="other"'],
    ['another algorithm', 'sig=();tag="bft-scan-receipt";alg="rsa-pss-sha512"'],
    ['a nonce', 'sig=();tag="bft-scan-receipt";nonce="a"'],
    ['other components', 'sig=("@authority");tag="bft-scan-receipt"'],
    ['no structured field', ')('],
  ])('if the caller asks for %s', async (_what, header) => {
    const heard = await stage.get(alice, { headers: { 'accept-signature': header } })
    expect(heard.status).toBe(200)
    expect(heard.headers).not.toHaveProperty('signature')
  })

  test('to HEAD, in a 304, and in an error', async () => {
    const head = await stage.get(alice, { method: 'HEAD', headers: asking })
    expect([head.status, head.headers['signature']]).toEqual([200, undefined])
    const etag = String((await stage.get(alice)).headers['etag'])
    const same = await stage.get(alice, { headers: { ...asking, 'if-none-match': etag } })
    expect([same.status, same.headers['signature'], same.headers['vary']]).toEqual([
      304,
      undefined,
      'accept-signature',
    ])
    const bad = await stage.get('/v0/scan-proxy/ans-entries/by-party/x', { headers: asking })
    expect([bad.status, bad.headers['signature']]).toEqual([400, undefined])
  })
})

test('a cached answer keeps its receipt, under the label that each caller chooses', async () => {
  const path = byName('carol.unverified.cns')
  const first = await stage.get(path, { headers: asking })
  const label = 'mine=("@status" "x-bft-receipt");created;tag="bft-scan-receipt"'
  const second = await stage.get(path, { headers: { 'accept-signature': label } })
  expect(second.headers['cache-status']).toMatch(/hit/)
  expect(second.headers['signature']).toBe(String(first.headers['signature']).replace('sig=', 'mine='))
  expect(second.headers['x-bft-receipt']).toBe(first.headers['x-bft-receipt'])
  expect(await verifies(second, { path }, keys)).toBe(true)
})

test('a receipt states when the quorum agreed, the digest of the value, and of two documents', async () => {
  const heard = await stage.get(alice, { headers: asking })
  const stated = receiptIn(heard)
  expect(Object.keys(stated)).toEqual(['v', 'at', 'value', 'roster', 'trust', 'votes'])
  expect(stated['v']?.value).toBe(1)
  const created = Number(/created=(\d+)/.exec(String(heard.headers['signature-input']))?.[1])
  expect(stated['at']?.value).toEqual({ date: created })
  expect(Math.abs(Date.now() / 1000 - created)).toBeLessThan(60)
  const value = canonicalJson(parseJson(heard.body) as Json)
  expect(bytesOf(heard, 'value')).toBe(digestOf(value).toString('base64'))
  const trust = stage.daemon.scan.discovery.roster?.trustDigest as string
  expect(bytesOf(heard, 'trust')).toBe(Buffer.from(trust, 'base64url').toString('base64'))
})

test('the documents of a receipt hash to their names, and list who said what', async () => {
  await stage.fault(['sv-1'], 'lie')
  const path = byName('dave.unverified.cns')
  const heard = await stage.get(path, { headers: asking })
  await stage.fault(['sv-1'], undefined)
  const votes = await stage.get(pathOf(heard, 'votes'))
  const roster = await stage.get(pathOf(heard, 'roster'))
  for (const [document, member] of [
    [votes, 'votes'],
    [roster, 'roster'],
  ] as const) {
    expect(document.status).toBe(200)
    expect(digestOf(document.body).toString('base64')).toBe(bytesOf(heard, member))
    expect(canonicalJson(parseJson(document.body) as Json)).toBe(document.text)
  }
  expect(JSON.parse(roster.text).superValidators).toHaveLength(4)
  const said = JSON.parse(votes.text)
  expect(said.question).toEqual({ read: 'lookupAnsEntryByName', params: { name: 'dave.unverified.cns' } })
  expect(said.superValidators).toHaveLength(4)
  const agreed = said.superValidators.filter((one: { agrees: boolean }) => one.agrees)
  expect(agreed.length).toBeGreaterThanOrEqual(2)
  for (const one of agreed) {
    expect(one).toMatchObject({ outcome: expect.stringMatching(/value|refusal/), origin: expect.any(String) })
    expect(one.reply).toMatch(/^[\w-]{43}$/)
    expect(Date.parse(one.at)).toBeLessThanOrEqual(Date.parse(said.at))
  }
})

test.each(['x', 'A'.repeat(43)])(
  'a document that no receipt names is a 404 in the form of all errors: %s',
  async (name) => {
    const heard = await stage.get(`/receipts/${name}`)
    expect(heard.status).toBe(404)
    expect(JSON.parse(heard.text)).toEqual({ error: `This daemon has no document ${name}, or not any more.` })
  },
)

test('the directory lists the key with its thumbprint and its times', async () => {
  const heard = await stage.get(directory)
  expect(heard.headers['content-type']).toBe('application/http-message-signatures-directory+json')
  expect(keys).toHaveLength(1)
  const { kid, x, nbf, exp } = keys[0] as (typeof keys)[number]
  expect(kid).toBe(digestOf(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).toString('base64url'))
  expect(nbf).toBeLessThanOrEqual(Date.now() / 1000)
  expect(exp).toBeGreaterThan(Date.now() / 1000 + 7 * 86_400)
})
