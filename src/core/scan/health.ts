import type { FaultKind } from '../../base/errors/fault-kinds.ts'
import { isJsonObject } from '../../base/lib/canonical-json.ts'
import type { Clock } from '../../base/lib/clock.ts'
import type { Reply } from '../quorum/reply.ts'
import { faultOfStatus, tryParse } from './judgement.ts'
import type { ScanRequest, ScanResponse } from './node.ts'

const firstProbeMs = 1_000

/** The daemon expects a reply within the time in which this share of a scan's recent replies arrived. */
const expectedShare = 0.75
/**
 * A reply is late after the longest time that a recent reply took. With fewer known reply times than
 * this, it is late after twice that time.
 */
const fewReplies = 8
/**
 * The bounds of the time after which a reply is late. Without the upper bound, a slow liar could
 * make the daemon wait longer and longer. The lower one is also added to twice the usual time.
 */
const leastLateMs = 10
const mostLateMs = 2_000
const unknownLateMs = 250

const gain = 0.2

/**
 * A class of replies with comparable reply times: `small` for all reads with small answers,
 * otherwise the id of the read.
 */
export type ReplyKind = string

/**
 * Records a scan's reply times and faults for peer selection. The class must not record whether the
 * scan agreed with others: liars could otherwise influence which scans are asked
 * (quorum.md#agreement-never-chooses).
 */
export class Health {
  readonly #clock: Clock
  readonly #times = new Map<ReplyKind, ReplyTimes>()
  #availability = 1
  #lastAsked = Number.NEGATIVE_INFINITY
  #reachable: boolean | undefined
  /**
   * The number of faults since the scan last answered a caller's read. A reply that only asks for
   * fewer requests, such as a 429, does not count.
   */
  #faults = 0
  #lastHeard = Number.NEGATIVE_INFINITY
  #lastProbed = Number.NEGATIVE_INFINITY
  #isDoubted = false
  /**
   * The time at which the daemon sent the request that is late now, as a value of `Clock.now()`.
   * Undefined if no request became late since the last reply.
   */
  #silentSince: number | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  asked(now = this.#clock.now()): void {
    this.#lastAsked = now
  }

  answered(tookMs: number, kind: ReplyKind): void {
    this.#faults = 0
    this.#heard(tookMs, kind)
  }

  probed(tookMs: number): void {
    this.#heard(tookMs, 'small')
  }

  /**
   * Records a reply that does not show whether the scan answers reads. Until another reply shows
   * that, the daemon probes the scan even if it is not idle.
   */
  doubted(): void {
    this.#isDoubted = true
    this.#lastHeard = this.#clock.now()
    this.#silentSince = undefined
  }

  probing(now = this.#clock.now()): void {
    this.#lastProbed = now
  }

  /**
   * Records a fault which shows that the scan cannot answer reads, such as no response, status 401
   * or a response that is not JSON.
   */
  failed(): void {
    this.#faults++
    this.throttled()
    this.#lastHeard = this.#clock.now()
  }

  throttled(): void {
    this.#silentSince = undefined
    this.#isDoubted = false
    this.#reachable = false
    this.#availability -= gain * this.#availability
  }

  late(askedAt: number): void {
    if (askedAt >= this.#lastHeard) this.#silentSince ??= askedAt
  }

  /**
   * Whether the scan gave a usable answer to the latest request or probe whose outcome shows whether
   * the scan answers reads. Undefined before the first such outcome.
   */
  get reachable(): boolean | undefined {
    return this.#reachable
  }

  get isFailing(): boolean {
    return this.#faults > 0 && this.#reachable === false
  }

  get availability(): number {
    return this.#availability
  }

  get idleMs(): number {
    return this.#clock.now() - this.#lastAsked
  }

  /**
   * Returns the expected reply time in milliseconds, from the replies of this kind or else from
   * `small` replies. The result is undefined if neither is known. While a request is late, the
   * result is at least the time since the daemon sent that request.
   */
  expectedMs(kind: ReplyKind, now: number): number | undefined {
    const times = this.#times.get(kind) ?? this.#times.get('small')
    if (times === undefined) return undefined
    return Math.max(times.usualMs, now - (this.#silentSince ?? now))
  }

  lateMs(kind: ReplyKind): number {
    return this.#times.get(kind)?.lateMs ?? unknownLateMs
  }

  isProbeDue(probeIntervalMs: number): boolean {
    const afterMs = this.probeAfterMs(probeIntervalMs)
    return this.idleMs >= afterMs || (this.#isDoubted && this.#clock.now() - this.#lastProbed >= afterMs)
  }

  /**
   * Returns the milliseconds that the scan must be idle before the next probe. A failing scan is
   * probed sooner: after a second at first, and then less often with each fault.
   */
  probeAfterMs(probeIntervalMs: number): number {
    if (!this.isFailing) return probeIntervalMs
    return Math.min(probeIntervalMs, firstProbeMs * 2 ** (this.#faults - 1))
  }

  #heard(tookMs: number, kind: ReplyKind): void {
    this.#lastHeard = this.#clock.now()
    this.#silentSince = undefined
    this.#isDoubted = false
    this.#reachable = true
    this.#availability += gain * (1 - this.#availability)
    let times = this.#times.get(kind)
    if (times === undefined) {
      times = new ReplyTimes()
      this.#times.set(kind, times)
    }
    times.add(tookMs)
  }
}

/**
 * The maximum number of reply times that are kept: enough to show the usual times, and few enough
 * to react soon to a change.
 */
const recordedReplies = 32

class ReplyTimes {
  /** In milliseconds, in the order of arrival. */
  readonly #times: number[] = []
  readonly #ascending: number[] = []
  usualMs = Number.NaN
  lateMs = Number.NaN

  add(ms: number): void {
    if (this.#times.push(ms) > recordedReplies)
      this.#ascending.splice(this.#ascending.indexOf(this.#times.shift() as number), 1)
    let place = this.#ascending.length
    while (place > 0 && (this.#ascending[place - 1] as number) > ms) place--
    this.#ascending.splice(place, 0, ms)
    const { length } = this.#ascending
    this.usualMs = this.#ascending[Math.ceil(expectedShare * length) - 1] as number
    const longestMs = this.#ascending[length - 1] as number
    const late = length < fewReplies ? 2 * longestMs : longestMs
    const most = Math.min(mostLateMs, 2 * this.usualMs + leastLateMs)
    this.lateMs = Math.max(leastLateMs, Math.min(most, late))
  }
}

/**
 * The conclusion from one reply: whether the scan answers reads (quorum.md#who-is-reachable).
 * - `unclear`: the reply does not show whether the scan answers reads. An example is a 404 because
 *   the release lacks the path of one read.
 * - `throttled`: the scan asked for fewer requests.
 * - `not-sent`: this daemon itself stopped the request or the reply.
 */
export type Usability = 'usable' | 'unusable' | 'unclear' | 'throttled' | 'not-sent'

/**
 * The probe is a read that every release has. A request for `/version` would show less: a scan may
 * answer it and still refuse all reads.
 */
export const probe: Pick<ScanRequest, 'method' | 'path'> = {
  method: 'GET',
  path: '/api/scan/v0/dso-party-id',
}

const ofFault: Readonly<Record<FaultKind, Usability>> = {
  unreachable: 'unusable',
  blocked: 'unusable',
  reset: 'unusable',
  timeout: 'unusable',
  busy: 'not-sent',
  'held-back': 'not-sent',
  unauthorized: 'unusable',
  'rate-limited': 'throttled',
  redirect: 'unusable',
  'server-error': 'unusable',
  'unexpected-status': 'unclear',
  oversized: 'unusable',
  truncated: 'unusable',
  'not-json': 'unusable',
  // Possibly only this one read is wrong, in the scan's implementation or in the daemon's schema.
  misshapen: 'unclear',
  'wrong-answer': 'unclear',
}

/** A scan that fails on one question answers with this status; a scan that is down does not. */
const failedInside = 500

export function usabilityOfReply(reply: Reply, response: ScanResponse): Usability {
  const status = response.kind === 'response' ? response.status : undefined
  if (status === failedInside) return 'unclear'
  if (reply.kind !== 'fault') return reply.kind === 'abstention' ? 'unclear' : 'usable'
  // A scan, or the proxy before it, that refuses one question does not always do so in JSON.
  const isRefusal = status !== undefined && status >= 400
  return reply.fault === 'not-json' && isRefusal ? 'unclear' : ofFault[reply.fault]
}

export function usabilityOf(response: ScanResponse): Usability {
  if (response.kind === 'fault') return ofFault[response.fault]
  const { status, body } = response
  if (status === 200) return beginsLikeJson(body) ? 'usable' : 'unusable'
  return status === failedInside ? 'unclear' : ofFault[faultOfStatus(status)]
}

/**
 * Returns what the response to a probe shows. An unclear response, such as a 404, counts as
 * `unusable`, because every release has the probe's path.
 */
export function usabilityOfProbe(response: ScanResponse): Usability {
  const outcome = probeOutcome(response)
  if (outcome === 'value') return 'usable'
  const usability = ofFault[outcome]
  return usability === 'unclear' ? 'unusable' : usability
}

export function probeOutcome(response: ScanResponse): 'value' | FaultKind {
  if (response.kind === 'fault') return response.fault
  const { status, body } = response
  if (status !== 200) return faultOfStatus(status)
  const json = tryParse(body, { maxElements: 64 })
  if (typeof json === 'string') return json
  return isJsonObject(json.value) && typeof json.value['dso_party_id'] === 'string' ? 'value' : 'misshapen'
}

const openers = new Set(['{', '[', '"'])

function beginsLikeJson(body: Buffer): boolean {
  return openers.has(body.toString('latin1', 0, 64).trimStart().charAt(0))
}
