import type { IncomingMessage } from 'node:http'
import type { QuorumReached } from '../../base/errors/splice.ts'
import { ageMs, type Clock, type Moment, momentOf } from '../../base/lib/clock.ts'
import { printText } from '../../base/lib/structured-fields.ts'
import type { Agreement } from '../../core/cache/agreement.ts'
import type { Served } from '../../core/cache/answers.ts'
import type { AsOf } from '../../core/cache/as-of.ts'
import { isUsedOnce, type Representation } from './projection.ts'
import { requestIdOf, traceParentOf } from './request.ts'

type RequestHead = Pick<IncomingMessage, 'method' | 'headers'>

export interface HttpReply {
  readonly status: number
  readonly headers: Headers
  readonly body: string | Buffer | null
}

export class Responder {
  readonly #surroundings: Surroundings
  readonly #common: Headers
  readonly #stable = new WeakMap<Representation, Headers>()
  readonly #clock: Clock

  constructor(surroundings: Surroundings, clock: Clock) {
    this.#surroundings = surroundings
    const varies = surroundings.mayBeSigned === true ? { vary: 'accept-signature' } : {}
    this.#common = { ...commonHeaders(surroundings), ...varies }
    this.#clock = clock
  }

  reply(
    representation: Representation,
    served: Served,
    { method, headers: request }: RequestHead,
    at = momentOf(this.#clock),
  ): HttpReply {
    // A POST never gets a 304: only GET and HEAD may (RFC 9110, 13.1.2).
    const unchanged = method !== 'POST' && isUnchanged(request['if-none-match'], representation)
    const headers: Headers = unchanged
      ? { ...this.#common, ...unchangedHeaders(representation, served.answer.agreement) }
      : { ...this.#stableHeaders(representation, served) }
    setTimeHeaders(headers, served, timesOf(served, at), this.#surroundings)
    headers['x-request-id'] = requestIdOf(request)
    headers['traceparent'] = traceParentOf(request)
    return unchanged
      ? { status: 304, headers, body: null }
      : { status: representation.status, headers, body: representation.body }
  }

  #stableHeaders(representation: Representation, served: Served): Headers {
    const { answer } = served
    const known = this.#stable.get(representation)
    if (known !== undefined) return known
    const made = {
      'content-type': 'application/json',
      'content-length': String(representation.body.length),
      ...unchangedHeaders(representation, answer.agreement),
      ...timeHeaderPlaceholders,
      ...this.#common,
    }
    if (!isUsedOnce(served)) this.#stable.set(representation, made)
    return made
  }
}

export type Headers = Record<string, string>

export interface Surroundings {
  readonly network: 'localnet' | undefined
  /** Whether answers require a token. If so, shared caches must not store them. */
  readonly isPrivate: boolean
  readonly mayBeSigned?: boolean
}

const exposed = [
  'traceparent',
  'x-request-id',
  'x-bft-quorum',
  'x-bft-agreed',
  'x-bft-as-of',
  'x-bft-error',
  'x-bft-network',
  'etag',
  'age',
  'cache-status',
  'retry-after',
  'content-digest',
  'x-bft-receipt',
  'signature-input',
  'signature',
].join(', ')

export function commonHeaders({ network }: Surroundings): Headers {
  const headers: Headers = { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposed }
  if (network !== undefined) headers['x-bft-network'] = network
  return headers
}

interface Times {
  readonly ageSeconds: number
  readonly maxAgeSeconds: number
  readonly ttlSeconds: number
}

function timesOf({ answer, agreedAt, lifetime, stored }: Served, at: Moment): Times {
  const age = ageMs(agreedAt, at)
  const ageSeconds = Math.floor(age / 1000)
  const freshMs = stored && lifetime !== undefined ? lifetime.freshMs : 0
  const endsInMs = answer.endsAt === undefined ? Number.POSITIVE_INFINITY : answer.endsAt - at.wall
  // Caches compare `max-age` with `age`. So `max-age` must not exceed the `age` at which the answer
  // stops being true.
  const endsAtAge = ageSeconds + Math.floor(endsInMs / 1000)
  return {
    ageSeconds,
    maxAgeSeconds: Math.max(0, Math.min(Math.floor(freshMs / 1000), endsAtAge)),
    ttlSeconds: Math.floor(Math.min(freshMs - age, endsInMs) / 1000),
  }
}

/** Returns the headers that a 304 repeats (RFC 9110, 15.4.5). */
export function unchangedHeaders({ etag }: Representation, agreement: Agreement): Headers {
  const quorum = { ...agreement, agreed: agreement.agreed.length }
  return { etag, 'x-bft-quorum': quorumHeader(quorum), 'x-bft-agreed': agreedHeader(agreement) }
}

/**
 * These empty values put the three headers before the common headers in the response.
 * `setTimeHeaders` fills them in later.
 */
const timeHeaderPlaceholders: Headers = { age: '', 'cache-control': '', 'cache-status': '' }

function setTimeHeaders(
  headers: Headers,
  served: Served,
  { ageSeconds, maxAgeSeconds, ttlSeconds }: Times,
  { isPrivate }: Surroundings,
): void {
  headers['age'] = String(ageSeconds)
  headers['cache-control'] = `${isPrivate ? 'private' : 'public'}, max-age=${maxAgeSeconds}`
  headers['cache-status'] = cacheStatus(served, ttlSeconds)
  if (served.asOf !== undefined) headers['x-bft-as-of'] = asOfHeader(served.asOf)
}

/** The time is rounded down, so that the answer never appears newer than it is. */
function asOfHeader({ at, claim, basis, generation }: AsOf): string {
  return `@${Math.floor(at / 1000)};claim=${claim};basis=${basis};generation=${generation}`
}

/** Returns the value of the header `cache-status` (RFC 9211). */
function cacheStatus({ how, stored }: Served, ttlSeconds: number): string {
  switch (how) {
    case 'hit':
    case 'stale':
      return `bft-scan-proxy; hit; ttl=${ttlSeconds}`
    case 'mirror':
      return 'bft-scan-proxy; hit; detail=mirror'
    case 'miss':
      return stored ? 'bft-scan-proxy; fwd=miss; stored' : 'bft-scan-proxy; fwd=miss'
    case 'ended':
      return stored ? 'bft-scan-proxy; fwd=stale; stored' : 'bft-scan-proxy; fwd=stale'
    case 'request':
      return stored ? 'bft-scan-proxy; fwd=request; stored' : 'bft-scan-proxy; fwd=request'
    case 'collapsed':
      return 'bft-scan-proxy; fwd=miss; collapsed'
  }
}

/** The comparison is weak (RFC 9110, 13.1.2), and only a 2xx response can become a 304 (13.2.1). */
export function isUnchanged(
  ifNoneMatch: string | undefined,
  { status, etag }: Pick<Representation, 'status' | 'etag'>,
): boolean {
  if (ifNoneMatch === undefined || status >= 300) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
}

export function failedQuorumHeader(reached: QuorumReached | undefined): string {
  return reached === undefined ? 'agreed=0, asked=0, voters=0' : quorumHeader(reached)
}

function quorumHeader(reached: QuorumReached & { readonly complete?: boolean }): string {
  const { agreed, threshold, asked, voters, setAside, operators } = reached
  let text = `agreed=${agreed}, threshold=${threshold}, asked=${asked}, voters=${voters}`
  if (setAside !== undefined) text += `, set-aside=${setAside}`
  if (operators !== undefined) {
    text += `, operators=${operators.agreed}, operator-threshold=${operators.threshold}, operator-voters=${operators.voters}`
  }
  if (reached.complete === false) text += ', complete=?0'
  if (!reached.protected) text += ', protected=?0'
  return text
}

/** A name with a character that is not printable ASCII becomes an RFC 9651 display string. */
function agreedHeader({ agreed }: Agreement): string {
  if (needsNoEscape.test(agreed.join(''))) return `"${agreed.join('", "')}"`
  return agreed.map(printText).join(', ')
}

const needsNoEscape = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/

/**
 * Runs the first job of an event-loop turn at once, and all later ones together at the turn's end.
 * For example, each job writes to another socket. A local process that reads from these sockets
 * then wakes up twice per turn instead of once per socket.
 */
export class EndOfTurn {
  #jobs: (() => void)[] = []
  #isDue = false

  /** Jobs must not throw. */
  add(job: () => void): void {
    if (this.#isDue) {
      this.#jobs.push(job)
      return
    }
    this.#isDue = true
    setImmediate(this.#end)
    job()
  }

  readonly #end = () => {
    this.#isDue = false
    const jobs = this.#jobs
    if (jobs.length === 0) return
    this.#jobs = []
    for (const job of jobs) job()
  }
}
