import { afterAll, describe, expect, test } from 'vitest'
import { longestBody } from '../../src/base/lib/body-bytes.ts'
import type { AskOptions } from '../localnet/ask.ts'
import { startStage } from '../support/daemon.ts'
import { head, speak } from '../support/speak.ts'

const stage = await startStage()

afterAll(() => stage[Symbol.asyncDispose]())

const malformedSize = (value: string) =>
  `The query parameter 'page_size' was malformed:\n'${value}' is not a valid 32-bit signed integer value`
const list = (query: string) => `/ans-entries${query}`
const party = (id: string) => `/ans-entries/by-party/${id}`
const name = (text: string) => `/ans-entries/by-name/${text}`
const tooLong = 'x'.repeat(2067)
const longFingerprint = 'a'.repeat(69)
const longIdentifier = 'a'.repeat(186)

const reads: readonly (readonly [path: string, status: number, error: string])[] = [
  [list(''), 404, "Request is missing required query parameter 'page_size'"],
  [list('?name_prefix=a'), 404, "Request is missing required query parameter 'page_size'"],
  [list('?page_size='), 400, malformedSize('')],
  [list('?page_size=ten'), 400, malformedSize('ten')],
  [list('?page_size=1.5'), 400, malformedSize('1.5')],
  [list('?page_size=2147483648'), 400, malformedSize('2147483648')],
  [list('?page_size=1%00'), 400, malformedSize('1\0')],
  [list('?page_size=0'), 400, 'Limit must be at least 1.'],
  [list('?page_size=-2147483647'), 400, 'Limit must be at least 1.'],
  [list('?page_size=1001'), 400, 'Exceeded limit maximum (1001 > 1000).'],
  [list(`?page_size=1&name_prefix=${tooLong}`), 400, 'The name_prefix is longer than 2066 characters.'],
  [
    list('?page_size=1&name_prefix=%FF'),
    400,
    'The name_prefix is not valid text: its percent-encoding is not UTF-8.',
  ],
  [party('alice'), 400, 'Invalid unique identifier `alice` with missing namespace.'],
  [party('::1220'), 400, 'Invalid unique identifier `::1220` with empty identifier.'],
  [party('alice::'), 400, 'Fingerprint decoding of `alice::` failed with: Daml-LF Party is empty'],
  [
    party('al.ice::1220'),
    400,
    'Identifier decoding of `al.ice::1220` failed with: non expected character 0x2e in Daml-LF Party',
  ],
  [
    party('alice::1220%F0%9F%98%80'),
    400,
    'Fingerprint decoding of `alice::1220😀` failed with: non expected character 0x1f600 in Daml-LF Party',
  ],
  [
    party(`alice::${longFingerprint}`),
    400,
    `Fingerprint decoding of \`alice::${longFingerprint}\` failed with: The given string has a maximum length of 68 but a string of length 69 was given`,
  ],
  [
    party(`${longIdentifier}::1220`),
    400,
    `Identifier decoding of \`${longIdentifier}::1220\` failed with: The given string has a maximum length of 185 but a string of length 186 was given`,
  ],
  [
    party('a::b::c'),
    400,
    'Fingerprint decoding of `a::b::c` failed with: String contains reserved delimiter `::`.',
  ],
  [name(tooLong), 400, 'The name is longer than 2066 characters.'],
  [name('a%00b'), 400, 'The name is not valid text: it holds a NUL character.'],
  [name('%ff'), 400, 'The name is not valid text: its percent-encoding is not UTF-8.'],
  [name('%'), 400, 'The name is not valid text: its percent-encoding is not UTF-8.'],
]

const bases = ['/v0/scan-proxy', '/api/validator/v0/scan-proxy', '/v0', '/api/scan/v0']

function asksForNames(): number {
  const ids = ['ans-entries', 'by-name', 'by-party', 'ans-rules'] as const
  return ids.reduce((sum, id) => sum + stage.asks(id), 0)
}

async function refusal(path: string, options?: AskOptions) {
  const before = asksForNames()
  const heard = await stage.get(path, options)
  expect(asksForNames(), 'no scan is asked').toBe(before)
  expect(heard.headers['content-type']).toBe('application/json')
  expect(heard.headers['cache-control']).toBe('no-store')
  expect(heard.headers['access-control-allow-origin']).toBe('*')
  expect(Object.keys(JSON.parse(heard.text))).toEqual(['error'])
  return { status: heard.status, error: JSON.parse(heard.text).error, headers: heard.headers }
}

describe("A bad parameter is refused in Splice's words before any scan is asked:", () => {
  test.each(reads)('%s', async (path, status, error) => {
    for (const base of bases) expect(await refusal(base + path)).toMatchObject({ status, error })
  })
})

describe("A bad body is refused in Splice's words before any scan is asked:", () => {
  const malformed = (why: string) => `The request content was malformed:\n${why}`
  const cases: readonly (readonly [string, AskOptions, number, string | RegExp])[] = [
    ['none', {}, 400, 'Request entity expected but not supplied'],
    ['an empty one', { body: '' }, 400, 'Request entity expected but not supplied'],
    ['an array', { body: '[{}]' }, 400, malformed('the body is not a JSON object')],
    ['a text', { body: '"{}"' }, 400, malformed('the body is not a JSON object')],
    ['half of one', { body: '{"a":' }, 400, /^The request content was malformed:\n./],
    ['one with a key twice', { body: '{"a":1,"a":1}' }, 400, /^The request content was malformed:\n./],
    [
      'one of more than 10,000 values',
      { body: `{"a":[${'0,'.repeat(10_000)}0]}` },
      400,
      malformed('more than 10000 values'),
    ],
    ['one of 65,537 bytes', { body: ' '.repeat(65_537) }, 413, 'The request content exceeds 65536 bytes.'],
    [
      'one of 65,537 bytes whose length is not announced',
      { body: ' '.repeat(65_537), headers: { 'transfer-encoding': 'chunked' } },
      413,
      'The request content exceeds 65536 bytes.',
    ],
    [
      'one that is no JSON by its type',
      { body: '{}', headers: { 'content-type': 'text/plain' } },
      415,
      "The request's Content-Type is not supported. Expected:\napplication/json",
    ],
    [
      'one that is compressed',
      { body: '{}', headers: { 'content-encoding': 'gzip' } },
      415,
      "The request's Content-Encoding 'gzip' is not supported. Expected:\nidentity",
    ],
    [
      'one in another charset',
      { body: '{}', headers: { 'content-type': 'application/json; charset=latin1' } },
      415,
      "The request's charset 'latin1' is not supported. Expected:\nUTF-8",
    ],
  ]
  test.each(cases)('%s', async (_what, options, status, error) => {
    for (const base of bases) {
      const said = await refusal(`${base}/ans-rules`, { method: 'POST', ...options })
      expect(said).toMatchObject({ status, error: expect.stringMatching(error) })
    }
  })

  test('a contract id that is no text, where it counts', async () => {
    const body = '{"cached_ans_rules_contract_id":7}'
    const said = await refusal('/v0/ans-rules', { method: 'POST', body })
    expect(said).toMatchObject({
      status: 400,
      error: malformed('cached_ans_rules_contract_id is not a string'),
    })
  })
})

describe('A path or method that there is not is refused:', () => {
  test.each([
    ['/v0/nothing', '/v0/nothing'],
    ['/v0/scans', '/v0/scans'],
    ['/v0/scan-proxy/scans', '/v0/scan-proxy/scans'],
    ['/v0/ans-entries/by-name/', '/v0/ans-entries/by-name'],
    ['/v0/ans-entries/by-name/..', '/v0/ans-entries/'],
    ['/v0/ans-entries/by-name/%2e%2E', '/v0/ans-entries/'],
    ['/api/validator/v0/ans-entries?page_size=1', '/api/validator/v0/ans-entries?page_size=1'],
  ])('%s', async (path, named) => {
    const error = `The requested resource could not be found: ${stage.daemon.http}${named}`
    expect(await refusal(path)).toMatchObject({ status: 404, error })
  })

  test.each([
    ['PUT', '/v0/ans-entries/by-name/a', 'GET', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/v0/scan-proxy/dso-party-id', 'GET', 'GET, HEAD, OPTIONS'],
    ['GET', '/v0/ans-rules', 'POST', 'POST, OPTIONS'],
    ['PATCH', '/api/scan/v0/amulet-rules', 'POST', 'POST, OPTIONS'],
    ['POST', '/api/validator/readyz', 'GET', 'GET, HEAD, OPTIONS'],
  ])('%s %s', async (method, path, supported, allow) => {
    const said = await refusal(path, { method })
    const error = `HTTP method not allowed, supported methods: ${supported}`
    expect(said).toMatchObject({ status: 405, error, headers: { allow } })
  })
})

describe('What is no proper HTTP is refused, and the next request is answered:', () => {
  const good = '/v0/ans-entries/by-name/dso.cns'
  const cases: readonly (readonly [string, string | Buffer, number])[] = [
    ['bytes that are no request', 'hello\r\n\r\n', 400],
    ['a target in raw UTF-8', head('/v0/ans-entries/by-name/é'), 400],
    ['a target that is no path', head('*'), 400],
    ['a target with a backslash', head('/v0/ans-entries/by-name/a\\b'), 400],
    ['a host that is none', head(good, { host: 'a b' }), 400],
    ['a host with a path', head(good, { host: 'a/b' }), 400],
    [
      'chunks of no length',
      Buffer.concat([
        head('/v0/ans-rules', { method: 'POST', more: 'transfer-encoding: chunked\r\n' }),
        Buffer.from('zz\r\n'),
      ]),
      400,
    ],
    ['headers without end', head(good, { more: `x: ${'y'.repeat(200_000)}\r\n` }), 431],
  ]
  test.each(cases)('%s', async (_what, bytes, status) => {
    const [top = '', body = ''] = (await speak(stage.daemon.http, bytes)).split('\r\n\r\n')
    expect(top).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(top).toContain('\r\ncache-control: no-store\r\n')
    expect(top).toContain('\r\nx-bft-error: malformedRequest')
    expect(JSON.parse(body)).toEqual({ error: 'The request is not HTTP that this server understands.' })
    expect((await stage.get(good)).status).toBe(200)
  })

  const begun = head('/v0/ans-rules', { method: 'POST', more: 'transfer-encoding: gzip\r\n' })

  test('a body in a coding that the parser does not know, with one answer', async () => {
    const heard = await speak(stage.daemon.http, Buffer.concat([begun, Buffer.from('{}')]))
    expect(heard).toMatch(/^HTTP\/1\.1 400 /)
    expect(heard.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  })

  test.each([
    ['a wish to go on', head(good, { more: 'expect: 100-continue\r\n' })],
    ['a wish for another protocol', head(good, { more: 'upgrade: websocket\r\n' })],
  ])('but not %s', async (_what, bytes) => {
    const heard = await speak(stage.daemon.http, bytes)
    expect(heard).toContain('HTTP/1.1 200 OK\r\n')
    expect(heard).toContain('"name":"dso.cns"')
  })
})

describe('A caller that goes on sending after its answer is cut off:', () => {
  test.each([
    ['a read by POST', 'POST /v0/ans-rules', 413],
    ['a read by GET', 'GET /v0/scan-proxy/dso-party-id', 200],
    ['a path that nothing is at', 'POST /nowhere', 404],
  ])('%s', async (_what, line, status) => {
    const announced = `${line} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${longestBody + 1}\r\n\r\n`
    const heard = await speak(stage.daemon.http, `${announced}x`)
    expect(heard).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(heard.toLowerCase()).toContain('\r\nconnection: close\r\n')
  })
})

describe('A body in chunks', () => {
  const post = (path: string, more = '') =>
    Buffer.from(`POST ${path} HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n${more}\r\n`)
  const crumb = Buffer.from('1\r\n \r\n')

  test('of which more is to come when its answer goes out is the last of its connection', async () => {
    const heard = await speak(stage.daemon.http, Buffer.concat([post('/nowhere'), crumb]))
    expect(heard).toMatch(/^HTTP\/1\.1 404 /)
    expect(heard.toLowerCase()).toContain('\r\nconnection: close\r\n')
  })

  test('that has come whole leaves its connection open', async () => {
    const whole = Buffer.concat([post('/v0/ans-rules'), Buffer.from('2\r\n{}\r\n0\r\n\r\n')])
    const heard = await speak(stage.daemon.http, Buffer.concat([whole, head('/livez')]))
    expect(heard.match(/HTTP\/1\.1 200 /g)).toHaveLength(2)
  })

  test('of one byte each is taken up to 2,048 of them, and then the connection is closed', async () => {
    const body = (crumbs: number) =>
      Buffer.concat([
        post('/v0/ans-rules', 'connection: close\r\n'),
        ...Array<Buffer>(crumbs).fill(crumb),
        Buffer.from('2\r\n{}\r\n0\r\n\r\n'),
      ])
    expect(await speak(stage.daemon.http, body(2_047))).toMatch(/^HTTP\/1\.1 200 /)
    expect(await speak(stage.daemon.http, body(2_048))).toBe('')
    expect((await stage.get('/livez')).status).toBe(200)
  })
})
