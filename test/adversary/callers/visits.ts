import fc from 'fast-check'
import type { Body, Call, Frame, Framing, Piece, Token, Visit } from './calls.ts'
import { just } from './calls.ts'
import type { Target } from './targets.ts'

const few = fc.integer({ min: 0, max: 40 })

function repeated(units: readonly string[], most: number, before = '', after = ''): fc.Arbitrary<Piece> {
  const count = fc.oneof(few, fc.integer({ min: 0, max: most }), fc.constant(most))
  return fc.record({
    before: fc.constant(before),
    unit: fc.constantFrom(...units),
    count,
    after: fc.constant(after),
  })
}

const odd = [
  '',
  ' ',
  '0',
  '-1',
  '1',
  '1e99',
  '9007199254740993',
  'NaN',
  'null',
  'true',
  '.',
  '..',
  '%',
  '%00',
  '%zz',
  '%ff',
  '%2e%2e',
  '%F0%9F%98%80',
  'a::b',
  '::',
  'alice.unverified.cns',
  '\u00e9',
  '*',
  "'",
  '"',
  '<script>',
  '__proto__',
  'constructor',
  '2024-01-01T00:00:00Z',
  '9999-99-99',
  '+',
  ',',
  ';',
  'sv-1',
  '{',
  '[]',
  '\\',
  '|',
  '#',
  '%0d%0aset-cookie:a',
]

const words: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...odd).map(just) },
  {
    weight: 2,
    arbitrary: fc.string({ maxLength: 12 }).map((text) => just(encodeURIComponent(text.toWellFormed()))),
  },
  { weight: 1, arbitrary: repeated(['a', '%61', '%', ':', 'a::', '.', '9', '%f0%9f%98%80', 'a.'], 20_000) },
)

const headerValues: fc.Arbitrary<Piece> = fc.oneof(
  fc.constantFrom(...odd.filter((text) => !/[^\x20-\x7e]/.test(text))).map(just),
  repeated([' ', ',', ';', 'a,', 'a/b;q=0,', '"', 'W/"a",', '; q=0 ', 'a=', '.', 'a.', '-'], 30_000),
)

const fixedHeaders: readonly (readonly [string, readonly string[]])[] = [
  [
    'accept',
    ['*/*', 'application/json', 'text/html', 'application/json;q=0', 'application/openmetrics-text'],
  ],
  ['origin', ['https://evil.example', 'null', 'http://127.0.0.1', 'nonsense']],
  ['sec-fetch-site', ['cross-site', 'same-site', 'same-origin', 'none']],
  ['if-none-match', ['*', '"a"', 'W/"a"']],
  ['traceparent', ['00-5f3b6c0d9a1e4b7c8d2f00112233aabb-93bb0fa23a8fb53a-01', '00-0-0-0']],
  [
    'content-type',
    ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=x'],
  ],
  ['expect', ['100-continue', 'nonsense']],
  [
    'host',
    [
      'evil.example',
      'LOCALHOST',
      '[::1]:80',
      '127.1',
      '',
      'a b',
      '[',
      'xn--',
      'localhost.',
      '@',
      'a/b',
      '127.0.0.1:99999',
    ],
  ],
  ['transfer-encoding', ['gzip', 'chunked, chunked', 'identity']],
  ['content-encoding', ['gzip', 'br']],
  ['upgrade', ['h2c', 'websocket']],
  ['access-control-request-headers', ['a, b', 'a\u0001']],
  ['x-request-id', ['a', 'a b']],
  ['accept-signature', ['sig=()', 'sig=()x']],
]

const header: fc.Arbitrary<readonly [string, Piece]> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .constantFrom(...fixedHeaders)
      .chain(([name, values]) => fc.tuple(fc.constant(name), fc.constantFrom(...values).map(just))),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...fixedHeaders.map(([name]) => name), 'cookie', 'x'), headerValues),
  },
)

const elements = '0, {}, [], 1e99, "a", null, {"a":0}, {"identifierFilter":{"a":0,"b":0}}, -0.0,'.split(' ')

const jsonValues: fc.Arbitrary<Piece> = fc.oneof(
  fc
    .constantFrom(
      'null',
      'true',
      '0',
      '-1',
      '1e99',
      '1e-99',
      '""',
      '"a"',
      '[]',
      '{}',
      '{"__proto__":1}',
      '"\\ud800"',
      '{"a":1,"a":2}',
    )
    .map(just),
  repeated(elements, 200_000, '[', '0]'),
  repeated(['a', '\\u0061', '\\\\', '\u00e9'], 300_000, '"', '"'),
  repeated(['['], 500_000),
  repeated(['{"a":'], 100_000),
  repeated(['9', '0'], 300_000, '1'),
  repeated(['"a":0,', '"\\u0061":0,'], 100_000, '{', '"b":1}'),
  fc.jsonValue({ maxDepth: 3 }).map((value) => just(JSON.stringify(value).toWellFormed())),
)

const bodies: fc.Arbitrary<Body> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Body>({ kind: 'none' }) },
  { weight: 4, arbitrary: fc.constant<Body>({ kind: 'sample' }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('spoilt' as const), at: fc.nat(60), by: jsonValues }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('text' as const), text: jsonValues }) },
  {
    weight: 1,
    arbitrary: fc
      .uint8Array({ maxLength: 40 })
      .map((bytes) => ({ kind: 'bytes' as const, hex: Buffer.from(bytes).toString('hex') })),
  },
)

const tokens = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Token>('alice', 'anyone') },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Token>(
      'none',
      'expired',
      'unsigned',
      'public-key',
      'forged',
      'garbage',
      'huge',
      'spaces',
      'empty',
    ),
  },
)

const framings = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Framing>('right') },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Framing>('chunked', 'byte by byte', 'too long', 'too short', 'absent'),
  },
)

const methods = 'GET HEAD POST PUT DELETE OPTIONS PATCH TRACE CONNECT PROPFIND get NONSENSE'.split(' ')

function pathOf({ path }: Target): fc.Arbitrary<string> {
  const filled = fc.array(words, { minLength: 4, maxLength: 4 }).map((values) => {
    let next = 0
    return path.replaceAll(/\{\w+\}/g, () => {
      const { before, unit, count, after } = values[next++ % 4] ?? just('')
      return before + unit.repeat(Math.min(count, 3_000)) + after
    })
  })
  const resembling = fc.constantFrom<(path: string) => string>(
    (one) => `/${one}`,
    (one) => `${one}/`,
    (one) => `http://evil.example${one}`,
    (one) => one.slice(1),
    (one) => `${one}/../..`,
    (one) => one.toUpperCase(),
    (one) => `${one}#a`,
    (one) => `/api/scan${one}`,
    () => '*',
  )
  return fc.oneof(
    { weight: 9, arbitrary: filled },
    { weight: 1, arbitrary: fc.tuple(filled, resembling).map(([one, change]) => change(one)) },
  )
}

/** Draws targets with a body more often, because requests with bodies cost the daemon most. */
function called(targets: readonly Target[]): fc.Arbitrary<Target> {
  const withBody = targets.filter(({ sample }) => sample !== undefined)
  const ledger = withBody.filter(({ path }) => path.startsWith('/v2/'))
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...targets) },
    { weight: 2, arbitrary: fc.constantFrom(...withBody) },
    { weight: 1, arbitrary: fc.constantFrom(...ledger) },
  )
}

function calls(targets: readonly Target[]): fc.Arbitrary<Call> {
  return called(targets).chain((target) => {
    const names = fc.constantFrom(...target.query, 'limit', 'stream_idle_timeout_ms', 'q', 'x')
    return fc.record({
      target: fc.constant(target),
      method: fc.oneof(
        { weight: 8, arbitrary: fc.constant(target.method) },
        { weight: 1, arbitrary: fc.constantFrom(...methods) },
      ),
      path: pathOf(target),
      query: fc.array(fc.tuple(names, words), { maxLength: 3 }),
      headers: fc.array(header, { maxLength: 3 }),
      token: tokens,
      body: bodies,
      framing: framings,
    })
  })
}

const garbage: fc.Arbitrary<Piece> = fc.oneof(
  fc.string({ maxLength: 60 }).map(just),
  fc
    .constantFrom(
      'GET / HTTP/1.1\r\n\r\n',
      'GET / HTTP/2.0\r\nhost: a\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\x16\x03\x01\x02\x00',
      'GET / HTTP/1.0\r\n\r\n',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'GET  / HTTP/1.1\r\nhost: a\r\n\r\n',
      'GET /\0 HTTP/1.1\r\nhost: a\r\n\r\n',
      'GET / HTTP/1.1\r\nhost: a\r\n b: c\r\n\r\n',
      'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      'GET /%zz HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n',
    )
    .map(just),
  repeated(['a', 'a: b\r\n', '\r\n', '\0'], 60_000, 'GET / HTTP/1.1\r\nhost: a\r\n'),
  repeated(['GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n', '0'], 2_000),
)

const frames: fc.Arbitrary<Frame> = fc.record({
  first: fc.oneof(
    fc.constantFrom(0x81, 0x82, 0x01, 0x00, 0x80, 0x88, 0x89, 0x8a),
    fc.integer({ min: 0, max: 255 }),
  ),
  isMasked: fc.oneof(
    { weight: 9, arbitrary: fc.constant(true) },
    { weight: 1, arbitrary: fc.constant(false) },
  ),
  length: fc.option(fc.constantFrom(0, 125, 126, 65_536, 2_000_000, 2 ** 40), { nil: undefined, freq: 9 }),
  payload: fc.oneof(
    jsonValues,
    fc.constant(just('{"beginExclusive":0,"endInclusive":1,"updateFormat":{}}')),
    fc.constant(just('{"beginExclusive":0,"updateFormat":{}}')),
  ),
})

export function visits(targets: readonly Target[]): fc.Arbitrary<Visit> {
  const one = calls(targets)
  return fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({
        kind: fc.constant('requests' as const),
        calls: fc.array(one, { minLength: 1, maxLength: 1 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('requests' as const),
        calls: fc.array(one, { minLength: 2, maxLength: 5 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('garbage' as const),
        at: fc.constantFrom('http' as const, 'operations' as const, 'control' as const),
        bytes: garbage,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('socket' as const),
        path: fc.constantFrom('/v2/updates', '/v2/state/active-contracts'),
        token: tokens,
        offered: fc.boolean(),
        frames: fc.array(frames, { maxLength: 4 }),
      }),
    },
  )
}
