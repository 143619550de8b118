import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Said } from './attack.ts'
import type { Tape } from './tape.ts'

export type Step =
  | { readonly do: 'write'; readonly bytes: Buffer }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'end' }
  | { readonly do: 'reset' }

export interface Delivery {
  readonly steps: readonly Step[]
  /** Whether the daemon may receive a body other than `said.bytes`. */
  readonly changes: boolean
}

const write = (bytes: Buffer | string): Step => ({ do: 'write', bytes: Buffer.from(bytes) })
const end: Step = { do: 'end' }
const reset: Step = { do: 'reset' }
const pause = (tape: Tape): Step => ({ do: 'wait', ms: tape.pick([0, 1, 5, 20]) })

export function plainly(said: Said): Delivery {
  return {
    steps: [
      write(head(said.status, ['content-type: application/json', `content-length: ${said.bytes.length}`])),
      write(said.bytes),
    ],
    changes: false,
  }
}

export function delivered(said: Said, tape: Tape): Delivery {
  if (!tape.once(2)) return plainly(said)
  const coded = tape.once(4) ? encoded(said, tape) : { bytes: said.bytes, headers: [], changes: false }
  const framed = framing(coded.bytes, tape)
  const headers = [
    ...(tape.once(5) ? oddHeaders(tape) : ['content-type: application/json']),
    ...coded.headers,
    ...framed.headers,
  ]
  const whole = [write(head(said.status, headers, tape)), ...framed.steps]
  const changes = coded.changes || framed.changes
  return tape.once(3) ? { steps: withConnectionFault(whole, tape), changes: true } : { steps: whole, changes }
}

function head(status: number, headers: readonly string[], tape?: Tape): string {
  const version = tape?.once(12)
    ? tape.pick(['HTTP/1.0', 'HTTP/2', 'HTTP/0.9', 'http/1.1', 'ICY'])
    : 'HTTP/1.1'
  const reason = tape?.once(12) ? tape.pick(['', 'OK OK', '\u0000', 'x'.repeat(9000)]) : 'Said'
  const code = tape?.once(40) ? tape.pick(['000', '2000', '-1', '20', '0x200', '200.5']) : String(status)
  return `${[`${version} ${code} ${reason}`, ...headers].join('\r\n')}\r\n\r\n`
}

interface Framed {
  readonly headers: readonly string[]
  readonly steps: readonly Step[]
  readonly changes: boolean
}

function framing(bytes: Buffer, tape: Tape): Framed {
  const { length } = bytes
  const lengths = (...texts: readonly (string | number)[]) => texts.map((text) => `content-length: ${text}`)
  const whole = [write(bytes)]
  switch (tape.below(14)) {
    case 0:
      return { headers: lengths(length), steps: crumbs(bytes, tape), changes: false }
    case 1:
      return { headers: ['transfer-encoding: chunked'], steps: chunks(bytes, tape), changes: false }
    case 2:
      return { headers: ['connection: close'], steps: [...whole, end], changes: false }
    case 3:
      return { headers: lengths(tape.below(length + 1)), steps: whole, changes: true }
    case 4:
      return {
        headers: lengths(length + 1 + tape.below(9)),
        steps: tape.once(2) ? [...whole, end] : whole,
        changes: true,
      }
    case 5:
      return { headers: lengths(length, tape.pick([length, length + 1, 0, ''])), steps: whole, changes: true }
    case 6:
      return {
        headers: lengths(
          tape.pick([
            '-1',
            '0x10',
            '1e3',
            ' ',
            '+5',
            '99999999999999999999',
            '4294967296',
            `${length},${length}`,
            'NaN',
          ]),
        ),
        steps: whole,
        changes: true,
      }
    case 7:
      return {
        headers: [...lengths(length), 'transfer-encoding: chunked'],
        steps: tape.once(2) ? whole : chunks(bytes, tape),
        changes: true,
      }
    case 8:
      return {
        headers: [
          tape.pick([
            'transfer-encoding: gzip, chunked',
            'transfer-encoding: identity',
            'transfer-encoding: x',
            'transfer-encoding: chunked, chunked',
            'Transfer-Encoding : chunked',
          ]),
        ],
        steps: [...chunks(bytes, tape), end],
        changes: true,
      }
    case 9:
      return { headers: ['transfer-encoding: chunked'], steps: brokenChunks(bytes, tape), changes: true }
    case 10:
      return {
        headers: ['upgrade: websocket', 'connection: upgrade', ...lengths(length)],
        steps: whole,
        changes: true,
      }
    case 11:
      return { headers: [...lengths(length), ...tooManyHeaders(tape)], steps: whole, changes: true }
    case 12:
      return {
        headers: ['transfer-encoding: chunked'],
        steps: [chunk(bytes, tape), Buffer.from(`0\r\n${tooManyHeaders(tape).join('\r\n')}\r\n\r\n`)].map(
          write,
        ),
        changes: true,
      }
    default:
      return { headers: lengths(length), steps: whole, changes: false }
  }
}

function tooManyHeaders(tape: Tape): readonly string[] {
  return Array<string>(tape.pick([8_200, 13_000, 40_000])).fill('a:b')
}

function crumbs(bytes: Buffer, tape: Tape): readonly Step[] {
  const size = tape.pick([1, 2, 7, 100, 1000])
  const steps: Step[] = []
  for (let at = 0; at < Math.min(bytes.length, 40 * size); at += size) {
    steps.push(write(bytes.subarray(at, at + size)))
    if (tape.once(4)) steps.push(pause(tape))
  }
  return [...steps, write(bytes.subarray(40 * size))]
}

function chunks(bytes: Buffer, tape: Tape): readonly Step[] {
  const size = tape.pick([bytes.length, 1, 3, 64, 1000]) || 1
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) parts.push(chunk(bytes.subarray(at, at + size), tape))
  const trailers = tape.once(4)
    ? tape.pick([
        'x: y\r\n',
        'content-length: 0\r\n',
        `status: ${'x'.repeat(100)}\r\n`,
        `${'a: b\r\n'.repeat(500)}`,
      ])
    : ''
  return [write(Buffer.concat([...parts, Buffer.from(`0\r\n${trailers}\r\n`)]))]
}

function chunk(part: Buffer, tape: Tape): Buffer {
  const extension = tape.once(30) ? tape.pick([';a=b', ';', `;${'x'.repeat(2000)}`]) : ''
  return Buffer.concat([
    Buffer.from(`${part.length.toString(16)}${extension}\r\n`),
    part,
    Buffer.from('\r\n'),
  ])
}

function brokenChunks(bytes: Buffer, tape: Tape): readonly Step[] {
  const half = bytes.subarray(0, bytes.length / 2)
  const good = Buffer.from(`${half.length.toString(16)}\r\n${half.toString('latin1')}\r\n`, 'latin1')
  const bad = tape.pick([
    'zz\r\n',
    '-1\r\n',
    'ffffffffffffffff\r\n',
    '0\r\n',
    '5\r\nab',
    '\n\n',
    `${'0'.repeat(5000)}1\r\na\r\n`,
  ])
  return [write(good), write(bad), ...(tape.once(2) ? [end] : [])]
}

function encoded(
  { bytes }: Said,
  tape: Tape,
): { bytes: Buffer; headers: readonly string[]; changes: boolean } {
  const as = (coding: string, coded: Buffer, changes = true) => ({
    bytes: coded,
    headers: [`content-encoding: ${coding}`],
    changes,
  })
  switch (tape.below(11)) {
    case 0:
      return as(tape.pick(['gzip', 'x-gzip', 'GZIP']), gzipSync(bytes), false)
    case 1:
      return as('br', brotliCompressSync(bytes), false)
    case 2:
      return as('deflate', deflateSync(bytes), false)
    case 3:
      return as('identity', bytes, false)
    case 4:
      return as('gzip, gzip', gzipSync(gzipSync(bytes)))
    case 5:
      return as(tape.pick(['zstd', 'compress', 'constructor', '__proto__', '', ',', 'gzip;q=1']), bytes)
    case 6:
      return as('gzip', gzipSync(bytes).subarray(0, tape.below(20)))
    case 7:
      return as(
        'gzip',
        Buffer.concat([gzipSync(bytes), tape.once(2) ? gzipSync(bytes) : Buffer.from('more')]),
      )
    case 8:
      return as(tape.pick(['gzip', 'br', 'deflate']), bytes)
    case 9:
      return as(...tape.pick(bombs()))
    default:
      return {
        ...as('br', brotliCompressSync(bytes)),
        headers: ['content-encoding: gzip', 'content-encoding: br'],
      }
  }
}

let made: readonly (readonly [string, Buffer])[] | undefined

function bombs(): readonly (readonly [string, Buffer])[] {
  const spaces = Buffer.alloc(1 << 24, ' ')
  made ??= [
    ['gzip', gzipSync(spaces)],
    ['br', brotliCompressSync(spaces)],
    ['deflate', deflateSync(spaces)],
    ['gzip', gzipSync(Buffer.alloc(1 << 24, '['))],
  ]
  return made
}

function oddHeaders(tape: Tape): readonly string[] {
  return tape.pick([
    [],
    ['content-type: text/html'],
    ['content-type: application/json; charset=utf-16'],
    ['content-type: application/json', 'content-type: text/plain'],
    [`x: ${'y'.repeat(20_000)}`],
    Array.from({ length: 300 }, (_, nth) => `x-${nth}: ${nth}`),
    Array.from({ length: 3_000 }, () => 'x: y'),
    ['location: http://127.0.0.1:1/', 'refresh: 0'],
    ['connection: close'],
    ['keep-alive: timeout=0'],
    ['keep-alive: timeout=999999999999'],
    ['connection: close, keep-alive'],
    ['set-cookie: a=b', 'etag: "x"', 'cache-control: max-age=99999999', 'age: -1', 'expires: never'],
    ['__proto__: x', 'constructor: y', 'hasOwnProperty: z'],
    ['x-bft-quorum: agreed=13', 'x-bft-agreed: "sv-01"'],
    ['broken header'],
    ['x: \u0000'],
    [': nameless'],
    ['x: a', ' folded'],
    ['retry-after: 0'],
    ['retry-after: -1'],
    ['retry-after: 1e9'],
    ['retry-after: Thu, 01 Jan 2099 00:00:00 GMT'],
    ['retry-after: soon'],
  ])
}

function withConnectionFault(whole: readonly Step[], tape: Tape): readonly Step[] {
  const early = whole.slice(0, 1)
  switch (tape.below(12)) {
    case 0:
      return [reset]
    case 1:
      return [end]
    case 2:
      return [cut(early[0], tape), tape.pick([reset, end])]
    case 3:
      return [...early, tape.pick([reset, end])]
    case 4:
      return [...early, cut(whole[1], tape), tape.pick([reset, end])]
    case 5:
      // Silence is rarer than the other faults, because the reader waits for its time-out.
      return tape.once(6)
        ? tape.pick([[], [cut(early[0], tape)], early, [...early, cut(whole[1], tape)]])
        : [pause(tape), reset]
    case 6:
      return [...early, pause(tape), ...whole.slice(1)]
    case 7:
      return [...whole, ...whole]
    case 8:
      return [
        ...whole,
        write(
          tape.pick([
            '\r\n',
            'x',
            '\0\0',
            'HTTP/1.1 200 OK\r\n',
            'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}',
          ]),
        ),
      ]
    case 9:
      return [...interim(tape), ...whole]
    case 10:
      return [
        write(
          tape.pick([
            'SSH-2.0-x\r\n',
            '\x16\x03\x01',
            '\0',
            '<html>',
            'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
            '{}',
          ]),
        ),
        ...(tape.once(2) ? [end] : []),
      ]
    default:
      return [{ do: 'wait', ms: tape.pick([5, 20, 50]) }, ...whole]
  }
}

function cut(step: Step | undefined, tape: Tape): Step {
  if (step?.do !== 'write') return end
  return write(step.bytes.subarray(0, tape.below(step.bytes.length + 1)))
}

function interim(tape: Tape): readonly Step[] {
  const count = tape.pick([1, 2, 16, 17, 40])
  const status = tape.pick([
    '100 Continue',
    '102 Processing',
    '103 Early Hints',
    '101 Switching Protocols',
    '199 x',
  ])
  return Array.from({ length: count }, () => write(`HTTP/1.1 ${status}\r\nlink: </x>\r\n\r\n`))
}
