/**
 * The shape of a valid Redis reply in RESP2 (redis.io/docs/latest/develop/reference/protocol-spec).
 * Lengths are in bytes.
 */
export type ReplyShape =
  | { readonly kind: 'integer'; readonly from: number; readonly to: number }
  | { readonly kind: 'status' }
  | {
      readonly kind: 'text'
      readonly most: number
      /**
       * Checks the content. Only short texts have this check, because `RespGuard` must buffer the
       * whole text.
       */
      readonly isRight?: (text: string) => boolean
      readonly orNull?: true
    }
  | {
      readonly kind: 'list'
      readonly least: number
      readonly most: number
      readonly item: (index: number) => ReplyShape
      readonly orNull?: true
    }
  | { readonly kind: 'any'; readonly depth: number }

export interface Expected {
  readonly shape: ReplyShape
  readonly mostBytes: number
  readonly subscribes?: true
}

const kib = 1024
const lineBytes = 2 * kib
const mostInvalidationBytes = 320 * kib
export const invalidationsAtOnce = 100
const mostStreamBytes = 34 * kib * kib

const status: ReplyShape = { kind: 'status' }
const count: ReplyShape = integer(0, Number.MAX_SAFE_INTEGER)
const address: ReplyShape = { kind: 'text', most: 255, isRight: isHost }

const clusterNode = list(2, 8, (index) =>
  index === 0 ? { ...address, orNull: true } : index === 1 ? integer(0, 65_535) : { kind: 'any', depth: 2 },
)
const slot = integer(0, 16_383)
const slotRange = list(2, 16, (index) => (index < 2 ? slot : clusterNode))
const fields = list(0, 64, () => text(mostInvalidationBytes))
const invalidation = list(2, 2, (index) => (index === 0 ? { ...text(64), isRight: isPosition } : fields))
const invalidations = list(0, invalidationsAtOnce, () => invalidation)
const stream = list(2, 2, (index) => (index === 0 ? text(kib) : invalidations))

export const message: Expected = {
  shape: list(3, 3, (index) =>
    index === 0 ? { ...text(16), isRight: (name) => name === 'message' } : text(kib),
  ),
  mostBytes: 4 * kib,
}

const subscribed = list(3, 3, (index) =>
  index === 0 ? { ...text(16), isRight: (name) => name === 'subscribe' } : index === 1 ? text(kib) : count,
)

const small = 64 * kib

const expected: Readonly<Record<string, Expected>> = {
  ...Object.fromEntries(
    ['ping', 'set', 'auth', 'select', 'readonly', 'readwrite', 'asking', 'client'].map((name) => [
      name,
      { shape: status, mostBytes: lineBytes },
    ]),
  ),
  pttl: { shape: integer(-2, Number.MAX_SAFE_INTEGER), mostBytes: lineBytes },
  unlink: { shape: count, mostBytes: lineBytes },
  // The scripts of `guard/floors.redis.ts` return one short text, or nothing.
  eval: { shape: { ...text(kib), orNull: true }, mostBytes: lineBytes },
  xlen: { shape: count, mostBytes: lineBytes },
  xadd: { shape: { ...text(64), isRight: isPosition }, mostBytes: lineBytes },
  xread: { shape: { ...list(1, 1, () => stream), orNull: true }, mostBytes: mostStreamBytes },
  xrange: { shape: invalidations, mostBytes: mostStreamBytes },
  xrevrange: { shape: invalidations, mostBytes: mostStreamBytes },
  info: { shape: text(256 * kib), mostBytes: 257 * kib },
  'cluster info': { shape: text(small), mostBytes: small },
  // ioredis loops over every slot of each range, so the number of ranges is limited. ioredis
  // creates a client for each server, so `mostBytes` limits servers to a few thousand.
  'cluster slots': { shape: list(0, 1_024, () => slotRange), mostBytes: 256 * kib },
  'sentinel get-master-addr-by-name': {
    shape: {
      ...list(2, 2, (index) => (index === 0 ? address : { ...text(5), isRight: isPort })),
      orNull: true,
    },
    mostBytes: lineBytes,
  },
  subscribe: { shape: subscribed, mostBytes: 4 * kib, subscribes: true },
}
const anything: Expected = { shape: { kind: 'any', depth: 4 }, mostBytes: small }

export function expectedOf(name: string, argument: string, largestValue: number): Expected {
  if (name === 'getrange') return { shape: text(largestValue), mostBytes: largestValue + kib }
  return expected[name] ?? expected[`${name} ${argument}`] ?? anything
}

function isPosition(text: string): boolean {
  return /^\d{1,20}-\d{1,20}$/.test(text)
}

function integer(from: number, to: number): ReplyShape {
  return { kind: 'integer', from, to }
}

function text(most: number): Extract<ReplyShape, { kind: 'text' }> {
  return { kind: 'text', most }
}

function list(
  least: number,
  most: number,
  item: (index: number) => ReplyShape,
): Extract<ReplyShape, { kind: 'list' }> {
  return { kind: 'list', least, most, item }
}

function isHost(text: string): boolean {
  return /^[\w.:%-]*$/.test(text)
}

function isPort(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) > 0 && Number(text) < 65_536
}
