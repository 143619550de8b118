import { afterAll, describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/lib/random.ts'
import type { Heard } from '../localnet/ask.ts'
import { startStage } from '../support/daemon.ts'
import { head, speak } from '../support/speak.ts'
import { openDoors } from './doors.ts'

const strangeNames = [
  ...`a/b.unverified.cns a%2Fb.unverified.cns a+b.unverified.cns a?b=c&d.unverified.cns
  a#b.unverified.cns a;b.unverified.cns ... % %2e%2e {name} :name * __proto__ constructor
  zürich.unverified.cns 名前.unverified.cns 😀`.split(/\s+/),
  'a b.unverified.cns',
  'a\'b"c\\d.unverified.cns',
  'zu\u0308rich.unverified.cns',
  '\u202egnp.unverified.cns',
  '\ufeff',
  '\u007f\u0001',
]

const every = ['/v0/scan-proxy', '/api/validator/v0/scan-proxy', '/v0', '/api/scan/v0']

const byName = (base: string, name: string) => `${base}/ans-entries/by-name/${encodeURIComponent(name)}`

const stage = await startStage()
const expiresAt = stage.clock.wall() + 86_400_000
for (const name of strangeNames)
  stage.localnet.world.put({ name, user: `${'x'.repeat(8)}::1220ab`, expiresAt })
stage.clock.advance(5_000)
const doors = await openDoors(stage)

afterAll(async () => {
  await doors[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
})

function lastingParts({ status, headers, text, whole }: Heard) {
  const left = ['date', 'x-request-id', 'traceparent', 'age', 'cache-control', 'cache-status']
  const kept = Object.entries(headers).filter(([name]) => !left.includes(name))
  return { status, headers: Object.fromEntries(kept.sort()), text, whole }
}

test('A target is answered from the cache when it is asked again', async () => {
  for (const path of [
    byName('/v0', 'carol.unverified.cns'),
    byName('/v0/scan-proxy', 'züri.unverified.cns'),
    '/v0/ans-entries?page_size=9&name_prefix=a',
    '/v0/scan-proxy/../ans-entries/by-name/carol-not.unverified.cns',
    '/api/validator/v0/scan-proxy/ans-entries/by-party/nobody-here%3A%3A1220aa',
    '//api/scan//v0/ans-entries/by-name/dave.unverified.cns/',
  ]) {
    await doors.ask(path)
    const asks = stage.asks()
    expect((await doors.ask(path)).headers['cache-status']).toContain('; hit; ')
    expect(stage.asks()).toBe(asks)
  }
})

test('A path with slashes that mean nothing is the path without them', async () => {
  const plain = await doors.ask('/v0/ans-entries/by-name/erin.unverified.cns')
  const asks = stage.asks()
  const again = await doors.ask('//v0//ans-entries/by-name/erin.unverified.cns/')
  expect(lastingParts(again)).toEqual(lastingParts(plain))
  expect(stage.asks()).toBe(asks)
})

describe('Whatever bytes ask, the answer is no failure of the daemon:', () => {
  const targets = [
    ...`/v0/ans-entries/by-name/ /api/scan/v0/ans-entries/by-name/ /v0/scan-proxy/ans-entries/by-name/
  /v0/ans-entries /v0/ans-entries?page_size= /v0/ans-entries?name_prefix=
  /v0/ans-entries/by-party/ /v0/scan-proxy/dso-party-id
  /v0/scan-proxy/../v0/scan-proxy/dso-party-id /v0/ans-rules /v0/scan-proxy/../ans-rules
  http://names.example/v0/ans-entries/by-name/ //v0/ans-entries/by-name/ /V0/ans-entries/by-name/`.split(
      /\s+/,
    ),
    '',
  ]
  const pieces = [
    ...`
      alice.unverified.cns dso.cns nobody a%2Fb.unverified.cns %61lice.unverified.cns % %25 %2e%2e .
      .. / // ? # & = + %20 %ff %00 %E5%90%8D %f0%9f%98%80 ; : @ | {name} :name * " < ^ ~ ! ' ( [ ]
      1 1000 &name_prefix=a &page_size=2 ?page_size=3 %3F %23 %5C %09
    `
      .trim()
      .split(/\s+/),
    '\\',
    '`',
    '\t',
    'x'.repeat(2_066),
    'x'.repeat(2_067),
  ]
  const hosts = [
    ...`
      names.example NAMES.example names.example:80 names.example:8080 names.example:65535
      names.example:99999 names.example:0 names.example. 127.0.0.1 127.1 0x7f.1 1.2.3.256 [::1]
      [::1]:8080 - _ xn-- a..b ü %41 a@b
    `
      .trim()
      .split(/\s+/),
    '',
  ]
  const heads = [
    '',
    '',
    'if-none-match: *\r\n',
    'if-none-match: "x", *\r\n',
    'If-None-Match: "a"\r\nif-none-match: *\r\n',
    'x-request-id: mine\r\n',
    'x-request-id: a\r\nx-request-id: b\r\n',
    'authorization: Bearer x\r\n',
    'content-length: 2\r\n\r\n{}',
    'content-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
    'expect: 100-continue\r\n',
    'accept: text/html\r\n',
    'range: bytes=0-1\r\n',
  ]
  const methods = ['GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE']

  test.each([1, 2, 3, 4])('made up from the seed %i', async (seed) => {
    const random = seededRandom(seed)
    const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] as string
    for (let count = 0; count < 250; count++) {
      const wild = Array.from({ length: Math.floor(random() * 4) }, () => pick(pieces)).join('')
      const rest = random() < 0.5 ? pick(pieces.slice(0, 5)) : wild
      const options = {
        method: pick(methods),
        host: random() < 0.7 ? 'names.example' : pick(hosts),
        more: pick(heads),
      }
      const bytes = head(pick(targets) + rest, options)
      expect(await speak(doors.url, bytes), bytes.toString().slice(0, 300)).toMatch(/^HTTP\/1\.1 (?!5)/)
    }
  })
})

describe('No two names are taken for one another:', () => {
  test.each(strangeNames)('%j', async (name) => {
    for (const base of every) {
      const heard = await doors.ask(byName(base, name))
      expect(heard.status).toBe(200)
      expect(JSON.parse(heard.text).entry.name).toBe(name)
    }
  })
})
