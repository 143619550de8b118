import type { IncomingMessage } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import { CantonError, UnknownLedgerPath } from '../../base/errors/canton.ts'
import { afterArrivals } from '../../base/lib/after-arrivals.ts'
import type { Clock } from '../../base/lib/clock.ts'
import { splitTarget } from './request.ts'
import type { Headers } from './respond.ts'

export type Relayed = 'reads' | 'all' | 'off'

/** No GET of the JSON Ledger API changes anything. Of the other methods, only these paths read. */
const posted: ReadonlySet<string> = new Set([
  '/v2/updates',
  '/v2/updates/flats',
  '/v2/updates/trees',
  '/v2/updates/get-updates-page',
  '/v2/updates/update-by-hash',
  '/v2/updates/update-by-id',
  '/v2/updates/update-by-offset',
  '/v2/updates/transaction-by-id',
  '/v2/updates/transaction-by-offset',
  '/v2/state/active-contracts',
  '/v2/state/active-contracts-page',
  '/v2/events/events-by-contract-id',
  '/v2/contracts/contract-by-id',
  '/v2/commands/completions',
  '/v2/commands/command-completions',
  '/v2/commands/completion-by-hash',
  '/v2/package-vetting/list',
  '/v2/interactive-submission/preferred-packages',
])

/** Also true of targets that a router takes for one below `/v2`; `ensureRelayed` refuses those. */
export function isLedgerApi(target: string): boolean {
  if (target.startsWith('/v2/')) return true
  const { path } = splitTarget(target)
  if (!/%|\./.test(path)) return false
  const pathname = URL.parse(`http://host${path}`)?.pathname ?? ''
  return /^\/(?:v|%76)(?:2|%32)\//i.test(pathname)
}

/** @throws UnknownLedgerPath, or CantonError for a request that may change something. */
export function ensureRelayed(method: string, target: string, relayed: Relayed): void {
  const { path } = splitTarget(target)
  const isBelow = path.startsWith('/v2/')
  // A proxy before the participant may resolve such segments, and reach a path that is not below `/v2`.
  const segments = path.split(/[/\\]|%2f|%5c/i)
  const hasDots = segments.some((segment) => /^(?:\.|%2e){1,2}(?:;|%3b|$)/i.test(segment))
  if (relayed === 'off' || hasDots || !isBelow) throw new UnknownLedgerPath(method, target)
  const isRead = method === 'GET' || method === 'HEAD' || (method === 'POST' && posted.has(path))
  if (relayed === 'reads' && !isRead) throw new CantonError('notRelayed', { api: `${method} ${path}` })
}

/** Clients ask for the version before they have a token. */
export function needsToken(target: string): boolean {
  return splitTarget(target).path !== '/v2/version'
}

/** These headers are about one connection, and not about the message (RFC 9110, 7.6.1). */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/**
 * Returns the headers that are passed on, as names and values in turn: their order, their spelling
 * and repeated ones stay.
 */
export function endToEnd(
  { rawHeaders, headers }: IncomingMessage,
  without: readonly string[] = [],
): string[] {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  const left = new Set([...hopByHop, ...named, ...without])
  return rawHeaders.filter((_, at) => !left.has((rawHeaders[at & ~1] as string).toLowerCase()))
}

const ours = /^(?:access-control|x-bft)-/i

/** Removes the headers that only the daemon may send: those of CORS, and those about quorums. */
export function withoutOurs(raw: readonly string[]): string[] {
  return raw.filter((_, at) => !ours.test(raw[at & ~1] as string))
}

/** Adds the headers whose names are not there yet. */
export function withMore(raw: readonly string[], more: Headers): string[] {
  const names = new Set(raw.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()))
  return [...raw, ...Object.entries(more).flatMap(([name, value]) => (names.has(name) ? [] : [name, value]))]
}

export function headOf({ statusCode, statusMessage }: IncomingMessage, raw: readonly string[]): Buffer {
  const lines = raw.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('')
  return Buffer.from(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines}\r\n`, 'latin1')
}

/**
 * After fewer bytes than this, the rest of what arrived with them is waited for. Otherwise each of
 * the thousands of chunks that one packet can have would be a write.
 */
const fewBytes = 1_024

/**
 * Copies bytes, and reads no further while `to` takes none.
 * @returns false if there are more than `most` bytes; the rest is left unread.
 * @throws Error if one of the two breaks off.
 */
export async function copy(from: Readable, to: Writable, most: number, moved: () => void): Promise<boolean> {
  let left = most
  let wake = () => {}
  const news = () => wake()
  from.on('readable', news).on('end', news).on('close', news).on('error', news)
  for (;;) {
    // Without a length, only one chunk would be read.
    const bytes: Buffer | null = from.read(from.readableLength || undefined)
    if (bytes === null) {
      if (from.readableEnded) return true
      if (from.destroyed) throw from.errored ?? new Error('the sender is gone')
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      continue
    }
    left -= bytes.length
    if (left < 0) return false
    moved()
    if (!to.write(bytes)) await drained(to)
    moved()
    if (bytes.length < fewBytes) await new Promise<void>(afterArrivals)
  }
}

function drained(to: Writable): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const cut = () => reject(new Error('the receiver is gone'))
  if (to.destroyed) cut()
  to.once('drain', resolve).once('close', cut)
  return promise.finally(() => to.off('drain', resolve).off('close', cut))
}

/** Calls `expire` when nothing has moved for some time. */
export class Silence implements Disposable {
  readonly #clock: Clock
  #movedAt: number
  #cancel = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
    this.#movedAt = clock.now()
  }

  readonly moved = (): void => {
    this.#movedAt = this.#clock.now()
  }

  watch(ms: number, expire: () => void): void {
    this.#cancel()
    const left = this.#movedAt + ms - this.#clock.now()
    if (left <= 0) return expire()
    this.#cancel = this.#clock.after(left, () => this.watch(ms, expire))
  }

  [Symbol.dispose](): void {
    this.#cancel()
  }
}

/** Counts what is relayed at once, in all and for each client address. */
export class Places {
  readonly #most: { readonly perClient: number; readonly inAll: number }
  readonly #taken = new Map<string, number>()
  #inAll = 0

  constructor(most: { readonly perClient: number; readonly inAll: number }) {
    this.#most = most
  }

  /** @throws CantonError `overloaded` */
  take(client: string): Disposable {
    const { perClient, inAll } = this.#most
    const taken = this.#taken.get(client) ?? 0
    if (taken >= perClient || this.#inAll >= inAll) throw new CantonError('overloaded')
    this.#count(client, 1)
    return { [Symbol.dispose]: () => this.#count(client, -1) }
  }

  #count(client: string, by: number): void {
    this.#inAll += by
    const taken = (this.#taken.get(client) ?? 0) + by
    if (taken === 0) this.#taken.delete(client)
    else this.#taken.set(client, taken)
  }
}
