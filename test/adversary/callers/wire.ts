import { type Call, type Frame, type Token, textOf, type Visit } from './calls.ts'
import type { Sent } from './exchange.ts'

export type Tokens = Readonly<Record<Token, string | undefined>>

export function sentOf(visit: Visit, tokens: Tokens): Sent {
  switch (visit.kind) {
    case 'garbage':
      return { parts: [Buffer.from(textOf(visit.bytes), 'latin1')], answers: 0, heads: [] }
    case 'socket':
      return { parts: [handshake(visit, tokens), ...visit.frames.map(frameBytes)], answers: 1, heads: [] }
    case 'requests': {
      const made = visit.calls.map((call, index) =>
        requestParts(call, tokens, index === visit.calls.length - 1),
      )
      const isWhole = visit.calls.length === 1 && visit.calls.every(isAnswered)
      return {
        parts: made.flat(),
        answers: isWhole ? 1 : 0,
        heads: visit.calls.map(({ method }) => method === 'HEAD'),
      }
    }
  }
}

/** Whether exactly one complete answer will come. The answer of `/ui/events` never ends. */
function isAnswered({ method, path, framing, headers }: Call): boolean {
  if (path.startsWith('/ui/events') || method === 'CONNECT') return false
  if (headers.some(([name]) => name === 'transfer-encoding' || name === 'upgrade' || name === 'expect'))
    return false
  return framing === 'right' || framing === 'chunked'
}

function requestParts(call: Call, tokens: Tokens, isLast: boolean): readonly Buffer[] {
  const { method, path, headers, framing } = call
  const query = call.query.map(([name, value]) => `${name}=${textOf(value).slice(0, 30_000)}`).join('&')
  const body = bodyOf(call)
  const authorization = tokens[call.token]
  const lines = [
    `${method} ${clean(path)}${query === '' ? '' : `?${clean(query)}`} HTTP/1.1`,
    ...(headers.some(([name]) => name === 'host') ? [] : ['host: localhost']),
    ...(authorization === undefined ? [] : [`authorization: ${authorization}`]),
    ...headers.map(([name, value]) => `${name}: ${textOf(value)}`),
    ...lengthLines(framing, body.length),
    ...(isLast ? ['connection: close'] : []),
  ]
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  switch (framing) {
    case 'chunked':
      return [head, ...(body.length === 0 ? [] : [chunk(body)]), Buffer.from('0\r\n\r\n')]
    case 'byte by byte': {
      const bytes = [...body.subarray(0, 20_000)].map((byte) => chunk(Buffer.from([byte])))
      return [head, Buffer.concat(bytes), Buffer.from('0\r\n\r\n')]
    }
    default:
      return [head, body]
  }
}

/** Encodes spaces and line ends, because they would end the target of the request. */
function clean(target: string): string {
  return target.replaceAll(/[\r\n ]/g, '%20')
}

function lengthLines(framing: Call['framing'], length: number): readonly string[] {
  switch (framing) {
    case 'right':
      return [`content-length: ${length}`]
    case 'too long':
      return [`content-length: ${length + 1_000}`]
    case 'too short':
      return [`content-length: ${Math.max(0, length - 1)}`]
    case 'absent':
      return []
    case 'chunked':
    case 'byte by byte':
      return ['transfer-encoding: chunked']
  }
}

function chunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
}

function bodyOf({ body, target: { sample = '{}' } }: Call): Buffer {
  switch (body.kind) {
    case 'none':
      return Buffer.alloc(0)
    case 'sample':
      return Buffer.from(sample)
    case 'spoilt':
      return Buffer.from(spoilt(sample, body.at, textOf(body.by)))
    case 'text':
      return Buffer.from(textOf(body.text))
    case 'bytes':
      return Buffer.from(body.hex, 'hex')
  }
}

/**
 * Replaces a value of the sample, as `Body` describes. If the sample is no JSON, inserts the text at the offset `at`.
 */
function spoilt(sample: string, at: number, by: string): string {
  const mark = '\u0001'
  let left = at
  const walk = (value: unknown): unknown => {
    if (left-- === 0) return mark
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, walk(member)]))
  }
  try {
    return JSON.stringify(walk(JSON.parse(sample))).replace(JSON.stringify(mark), () => by)
  } catch {
    return sample.slice(0, at) + by + sample.slice(at)
  }
}

function handshake({ path, token, offered }: Visit & { kind: 'socket' }, tokens: Tokens): Buffer {
  const authorization = tokens[token]
  const bearer = authorization?.replace(/^Bearer /, '') ?? ''
  const protocols = offered && !/[ ,]/.test(bearer) ? `jwt.token.${bearer}, daml.ws.auth` : 'daml.ws.auth'
  const lines = [
    `GET ${path} HTTP/1.1`,
    'host: localhost',
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    `sec-websocket-protocol: ${protocols}`,
    ...(offered || authorization === undefined ? [] : [`authorization: ${authorization}`]),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

function frameBytes({ first, isMasked, length, payload }: Frame): Buffer {
  const bytes = Buffer.from(textOf(payload))
  const said = length ?? bytes.length
  const mask = isMasked ? 0x80 : 0
  const head =
    said < 126
      ? Buffer.from([first, mask | said])
      : said < 65_536
        ? Buffer.from([first, mask | 126, said >> 8, said & 255])
        : Buffer.concat([Buffer.from([first, mask | 127]), big(said)])
  // A frame of a client needs a mask. A mask of zeros leaves the payload unchanged.
  return Buffer.concat([head, ...(isMasked ? [Buffer.alloc(4)] : []), bytes])
}

function big(length: number): Buffer {
  const made = Buffer.alloc(8)
  made.writeBigUInt64BE(BigInt(length))
  return made
}
