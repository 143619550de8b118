import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/lib/random.ts'
import type { AskOptions, Heard } from '../localnet/ask.ts'
import { type Stage, startStage } from '../support/daemon.ts'
import { head, speak } from '../support/speak.ts'
import { type Doors, openDoors } from './doors.ts'

const strangeNames = [
  'a/b.unverified.cns',
  'a%2Fb.unverified.cns',
  'a b.unverified.cns',
  'a+b.unverified.cns',
  'a?b=c&d.unverified.cns',
  'a#b.unverified.cns',
  'a;b.unverified.cns',
  'a\'b"c\\d.unverified.cns',
  '...',
  '%',
  '%2e%2e',
  '{name}',
  ':name',
  '*',
  '__proto__',
  'constructor',
  'zürich.unverified.cns',
  'zu\u0308rich.unverified.cns',
  '名前.unverified.cns',
  '😀',
  '\u202egnp.unverified.cns',
  '\ufeff',
  '\u007f\u0001',
]

const bases = {
  proxy: ['/v0/scan-proxy', '/api/validator/v0/scan-proxy'],
  scan: ['/v0', '/api/scan/v0'],
}
const every = [...bases.proxy, ...bases.scan]
const post = (body: string, headers: Record<string, string> = {}): AskOptions => ({
  method: 'POST',
  body,
  headers,
})

const byName = (base: string, name: string) => `${base}/ans-entries/by-name/${encodeURIComponent(name)}`

/**
 * Requests by the kind of answer that they get. The test sends each request twice, so that the second answer can come
 * from the cache.
 */
const classes: Readonly<Record<string, readonly (readonly [path: string, options?: AskOptions])[]>> = {
  'a name that exists': every.map((base) => [byName(base, 'alice.unverified.cns')]),
  'a name that does not': every.map((base) => [byName(base, 'nobody.unverified.cns')]),
  "a name of the DSO's": every.map((base) => [byName(base, 'dso.cns')]),
  'a name with signs that mean something elsewhere': strangeNames.flatMap((name) => [
    [byName('/v0', name)],
    [byName('/v0/scan-proxy', `${name} is free`)],
  ]),
  'a name with more escapes than it needs': [
    ['/v0/ans-entries/by-name/%61lice.unverified.cns'],
    ['/v0/ans-entries/by-name/alice%2Eunverified%2ecns'],
    ['/v0/ans-entries/by-name/alice.unverified.cns?'],
    ['/v0/ans-entries/by-name/alice.unverified.cns?name=bob'],
  ],
  'a name that is a step in a path': ['.', '..', '%2E', '%2e%2E', '.%2e', './', '../'].flatMap((step) => [
    [`/v0/ans-entries/by-name/${step}`],
    [`/v0/scan-proxy/ans-entries/by-name/${step}`],
  ]),
  'a name that is no text': ['%ff', '%', 'a%2', '%zz', '%c3', '%ed%a0%80', '%00', 'a%00b', '%C0%AF'].flatMap(
    (name) => every.map((base) => [`${base}/ans-entries/by-name/${name}`]),
  ),
  'a name of 2,066 characters, and of one more': [2066, 2067].flatMap((length) => [
    [byName('/v0', 'x'.repeat(length))],
    [byName('/v0/scan-proxy', 'ü'.repeat(length))],
  ]),
  'a name of 10,000 characters': ['x', 'ü', '😀'].map((sign) => [byName('/v0', sign.repeat(10_000))]),
  'no name at all': every.flatMap((base) => [
    [`${base}/ans-entries/by-name`],
    [`${base}/ans-entries/by-name/`],
    [`${base}/ans-entries/by-name/a/b`],
  ]),
  'a path with slashes that mean nothing': every.flatMap((base) => [
    [`${base}//ans-entries/by-name/alice.unverified.cns`],
    [`/${base}/ans-entries///by-name/alice.unverified.cns/`],
    [`${base}/ans-entries/?page_size=3`],
  ]),
  'a party that is none': [
    'x',
    'x::',
    '::x',
    '%20',
    'a::b::c',
    'a%2Fb::1220',
    'ü::1220',
    'x'.repeat(10_000),
  ].flatMap((party) => every.map((base) => [`${base}/ans-entries/by-party/${party}`])),
  'a party that has no name': every.map((base) => [`${base}/ans-entries/by-party/nobody%3A%3A1220aa`]),
  'a list': every.flatMap((base) => [
    [`${base}/ans-entries?page_size=3`],
    [`${base}/ans-entries?page_size=1000`],
    [`${base}/ans-entries?page_size=5&name_prefix=a`],
    [`${base}/ans-entries?name_prefix=nobody-has-this&page_size=5`],
    [`${base}/ans-entries?name_prefix=z%C3%BC&page_size=5`],
    [`${base}/ans-entries?name_prefix=&page_size=%31`],
    [`${base}/ans-entries?page_size=2&page_size=3`],
    [`${base}/ans-entries?page_size=+2`],
    [`${base}/ans-entries?&&page_size=2&color=red`],
  ]),
  'a list without a proper size': every.flatMap((base) =>
    [
      '',
      '?',
      '?page_size',
      '?page_size=',
      '?page_size=0',
      '?page_size=-1',
      '?page_size=1001',
      '?page_size=2147483648',
      '?page_size=ten',
      '?page_size=1.0',
      '?page_size=1e2',
      '?page_size=0x10',
      '?page_size=%F0',
      '?Page_Size=1',
    ].map((query) => [`${base}/ans-entries${query}`] as const),
  ),
  'a list with a prefix that is no text': every.flatMap((base) =>
    ['%ff', '%', '%00', 'x'.repeat(2067)].map(
      (prefix) => [`${base}/ans-entries?page_size=1&name_prefix=${prefix}`] as const,
    ),
  ),
  'the rules of names': every.flatMap((base) => [
    [`${base}/ans-rules`, post('{}')],
    [`${base}/ans-rules`, post('{"cached_ans_rules_contract_id":"00other"}')],
    [`${base}/ans-rules`, post(' {"cached_ans_rules_contract_id":null,"more":[1]} ')],
    [`${base}/ans-rules`, post('{}', { 'content-type': 'application/json; charset=utf-8' })],
  ]),
  'the rules with a body that is none': every.flatMap((base) => [
    [`${base}/ans-rules`, post('')],
    [`${base}/ans-rules`, post('[]')],
    [`${base}/ans-rules`, post('null')],
    [`${base}/ans-rules`, post('{')],
    [`${base}/ans-rules`, post('{"cached_ans_rules_contract_id":1}')],
    [`${base}/ans-rules`, post('{"a":1,"a":2}')],
    [`${base}/ans-rules`, post('{}', { 'content-type': 'text/plain' })],
    [`${base}/ans-rules`, post('x'.repeat(65_537))],
    [`${base}/ans-rules`, post(`{"x":"${'x'.repeat(65_537)}"}`, { 'transfer-encoding': 'chunked' })],
  ]),
  'what the proxy and the scans name differently': [
    ['/v0/scan-proxy/dso-party-id'],
    ['/api/validator/v0/scan-proxy/dso-party-id'],
    ['/api/scan/v0/dso-party-id'],
    ['/v0/dso-party-id'],
    ['/v0/scan-proxy/amulet-rules'],
    ['/api/validator/v0/scan-proxy/amulet-rules'],
    ['/api/scan/v0/amulet-rules', post('{}')],
    ['/v0/amulet-rules', post('{}')],
    ['/api/scan/v0/scans'],
    ['/v0/scans'],
    ['/v0/scan-proxy/scans'],
  ],
  'another method': ['PUT', 'DELETE', 'PATCH', 'POST', 'TRACE', 'PROPFIND'].flatMap((method) => [
    [byName('/v0', 'alice.unverified.cns'), { method }],
    [byName('/v0/scan-proxy', 'alice.unverified.cns'), { method }],
    ['/v0/ans-entries?page_size=1', { method }],
    ['/readyz', { method }],
  ]),
  'a reading method where only POST is taken': ['GET', 'HEAD'].flatMap((method) =>
    every.map((base) => [`${base}/ans-rules`, { method }] as const),
  ),
  'a preflight': [
    [
      byName('/v0', 'alice.unverified.cns'),
      {
        method: 'OPTIONS',
        headers: { origin: 'https://app.example', 'access-control-request-method': 'GET' },
      },
    ],
    [
      '/v0/ans-rules',
      {
        method: 'OPTIONS',
        headers: {
          origin: 'null',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization, content-type',
        },
      },
    ],
    ['/nothing', { method: 'OPTIONS' }],
  ],
  'a path that nothing is at': [
    ['/'],
    ['/v0'],
    ['/nothing'],
    ['/api/scan'],
    ['/api/scan/v0/nothing'],
    ['/%'],
    ['/%ff?%'],
    ['/v0/ans-entries/'],
    ['/favicon.ico'],
  ],
  'this daemon itself': [
    ['/livez'],
    ['/readyz'],
    ['/readyz?quorum'],
    ['/api/scan/livez'],
    ['/api/validator/readyz'],
    ['/api/scan/version'],
    ['/api/validator/version'],
    ['/api/scan/status'],
    ['/api/validator/status'],
    ['/openapi.json'],
  ],
}

let stage: Stage
let doors: Doors

beforeAll(async () => {
  stage = await startStage()
  const expiresAt = stage.clock.wall() + 86_400_000
  for (const name of strangeNames)
    stage.localnet.world.put({ name, user: `${'x'.repeat(8)}::1220ab`, expiresAt })
  stage.clock.advance(5_000)
  doors = await openDoors(stage)
})

afterAll(async () => {
  await doors[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
})

function lastingParts({ status, headers, text, whole }: Heard) {
  const left = ['date', 'x-request-id', 'traceparent', 'age', 'cache-control', 'cache-status']
  const kept = Object.entries(headers).filter(([name]) => !left.includes(name))
  return { status, headers: Object.fromEntries(kept.sort()), text, whole }
}

describe('A request is answered whole, without a 500, and alike where it is asked again:', () => {
  test.each(Object.entries(classes))('%s', async (_class, requests) => {
    for (const [path, options] of requests) {
      const what = `${options?.method ?? 'GET'} ${path.slice(0, 200)}`
      const first = await doors.ask(path, options)
      const again = await doors.ask(path, options)
      expect(lastingParts(again), what).toEqual(lastingParts(first))
      expect(first.whole, what).toBe(true)
      expect(first.status, what).not.toBe(500)
    }
  })
})

test('A plain target is answered without the parser of URLs, and from the cache when it is asked again', async () => {
  for (const path of [
    byName('/v0', 'carol.unverified.cns'),
    byName('/v0/scan-proxy', 'züri.unverified.cns'),
    byName('/api/validator/v0/scan-proxy', 'nobody-there.unverified.cns'),
    '/v0/ans-entries?page_size=9&name_prefix=a',
    '/api/validator/v0/scan-proxy/ans-entries/by-party/nobody-here%3A%3A1220aa',
    '//api/scan//v0/ans-entries/by-name/dave.unverified.cns/',
  ]) {
    const before = doors.unparsed()
    await doors.ask(path)
    const asks = stage.asks()
    expect((await doors.ask(path)).headers['cache-status']).toContain('; hit; ')
    expect(stage.asks()).toBe(asks)
    expect(doors.unparsed()).toBe(before + 2)
  }
})

test('A path with slashes that mean nothing is the path without them', async () => {
  const plain = await doors.ask('/v0/ans-entries/by-name/erin.unverified.cns')
  const asks = stage.asks()
  const again = await doors.ask('//v0//ans-entries/by-name/erin.unverified.cns/')
  expect(lastingParts(again)).toEqual(lastingParts(plain))
  expect(stage.asks()).toBe(asks)
})

describe('Whatever bytes ask, they are answered alike with the parser of URLs and without it:', () => {
  const targets = [
    '/v0/ans-entries/by-name/',
    '/api/scan/v0/ans-entries/by-name/',
    '/v0/scan-proxy/ans-entries/by-name/',
    '/v0/ans-entries',
    '/v0/ans-entries?page_size=',
    '/v0/ans-entries?name_prefix=',
    '/v0/ans-entries/by-party/',
    '/v0/scan-proxy/dso-party-id',
    '/v0/scan-proxy/../v0/scan-proxy/dso-party-id',
    '/v0/ans-rules',
    '/v0/scan-proxy/../ans-rules',
    'http://names.example/v0/ans-entries/by-name/',
    '//v0/ans-entries/by-name/',
    '/V0/ans-entries/by-name/',
    '',
  ]
  const pieces = [
    'alice.unverified.cns',
    'dso.cns',
    'nobody',
    'a%2Fb.unverified.cns',
    '%61lice.unverified.cns',
    '%',
    '%25',
    '%2e%2e',
    '.',
    '..',
    '/',
    '//',
    '\\',
    '?',
    '#',
    '&',
    '=',
    '+',
    '%20',
    '%ff',
    '%00',
    '%E5%90%8D',
    '%f0%9f%98%80',
    ';',
    ':',
    '@',
    '|',
    '{name}',
    ':name',
    '*',
    '"',
    '<',
    '^',
    '`',
    '~',
    '!',
    "'",
    '(',
    '[',
    ']',
    '1',
    '1000',
    '&name_prefix=a',
    '&page_size=2',
    '?page_size=3',
    '%3F',
    '%23',
    '%5C',
    '\t',
    '%09',
    'x'.repeat(2_066),
    'x'.repeat(2_067),
  ]
  const hosts = [
    'names.example',
    'NAMES.example',
    'names.example:80',
    'names.example:8080',
    'names.example:65535',
    'names.example:99999',
    'names.example:0',
    'names.example.',
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '1.2.3.256',
    '[::1]',
    '[::1]:8080',
    '-',
    '_',
    'xn--',
    'a..b',
    'ü',
    '%41',
    'a@b',
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

  function answerIn(bytes: string): unknown {
    const answer = bytes.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
    const end = answer.indexOf('\r\n\r\n')
    const [status, ...lines] = answer.slice(0, end).split('\r\n')
    const headers = lines.map((line) => line.replace(/^[^:]*/, (name) => name.toLowerCase()))
    const kept = headers.filter((line) => !/^(date|x-request-id: [^m]|traceparent):?/.test(line))
    return { status, headers: kept.sort(), body: answer.slice(end) }
  }

  test.each([1, 2, 3, 4])('made up from the seed %i', async (seed) => {
    const random = seededRandom(seed)
    const before = doors.unparsed()
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
      const what = JSON.stringify(bytes.toString().slice(0, 300))
      const first = await speak(doors.urls.parsed, bytes)
      const plain = answerIn(await speak(doors.urls.parsed, bytes))
      expect(answerIn(await speak(doors.urls.public, bytes)), what).toEqual(plain)
      expect(first, what).toMatch(/^HTTP\/1\.1 (?!5)/)
    }
    expect(doors.unparsed()).toBeGreaterThan(before + 3)
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
