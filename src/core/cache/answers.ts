import { LRUCache } from 'lru-cache'
import { SpliceError } from '../../base/errors/splice.ts'
import { ageMs, type Clock, type Moment, momentOf } from '../../base/lib/clock.ts'
import type { MaybePromise } from '../../base/lib/maybe-promise.ts'
import { type Answer, freshness, type Lifetime, storable } from './answer.ts'
import type { AsOf } from './as-of.ts'
import type { CacheEvents } from './events.ts'
import type { InvalidationLog, InvalidationPoint } from './invalidation-log.ts'
import { readOf } from './key.ts'
import type { IsBehind, Remembered, SyncStore } from './store.ts'

const firstMs = 2_000
const maxMs = 30_000
const maxPauses = 10_000

/**
 * The way in which the cache got an answer.
 * - `hit`: stored and fresh.
 * - `stale`: stored and stale; a refresh runs or is delayed.
 * - `miss`: loaded, because nothing was stored.
 * - `ended`: loaded, because the stored answer was too old to be served.
 * - `request`: loaded for a caller that sets `CacheCaller.notBefore`, whether or not an older answer
 *   was stored.
 * - `collapsed`: loaded by a load that was already running for another caller.
 * - `mirror`: taken from the daemon's own copy of the names, without asking any super validator.
 */
export type How = 'hit' | 'stale' | 'miss' | 'ended' | 'request' | 'collapsed' | 'mirror'

export interface Served {
  readonly answer: Answer
  readonly agreedAt: Moment
  readonly how: How
  readonly stored: boolean
  readonly lifetime: Lifetime | undefined
  readonly asOf?: AsOf
}

/** A caller that waits for a load. */
export interface FlightCaller {
  /** Calls `left` with the reason if the caller stops waiting. A call after the load does nothing. */
  whenLeft?(left: (reason: unknown) => void): void
}

export interface CacheCaller extends FlightCaller {
  readonly receivedAt?: Moment
  /**
   * The caller rejects answers that were agreed before this time, in milliseconds since 1970. A
   * time that is not in the past requires a load that begins now.
   */
  readonly notBefore?: number | undefined
  readonly mayRefresh?: () => boolean
  readonly beforeLoad?: () => void
  readonly requestId?: () => string
}

/**
 * The reason for a load.
 * - `answer`: a caller waits, so a stale answer from Redis is good enough.
 * - `refresh`: the stored answer is stale, so the load must ask the super validators.
 */
export type Purpose = 'answer' | 'refresh'

export interface Loaded {
  readonly answer: Answer
  readonly lifetime: Lifetime | undefined
  readonly sharedInRedis: boolean
}

/**
 * Loads an answer, or rejects with the error that callers see.
 * @param signal aborts when no caller waits any more, or at shutdown.
 */
export type Load = (signal: AbortSignal, purpose: Purpose) => Promise<Loaded>

interface LoadStart {
  readonly point: InvalidationPoint
  readonly begunAt: Moment
  readonly notBefore: number | undefined
  /** When a later load of the same key began. */
  laterLoadBeganAt: Moment | undefined
}

/**
 * A single flight: one load, and all callers that wait for it. The load is aborted when the last
 * caller stops waiting. A refresh counts as a caller that never stops.
 */
interface Flight {
  readonly start: LoadStart
  callers: number
  /**
   * Undefined after the load, to free memory: a `Map` or `Set` can keep a deleted flight until the
   * next major garbage collection.
   */
  load: { readonly source: AbortController; readonly served: Promise<Served> } | undefined
}

interface LoadRequest {
  readonly load: Load
  readonly isBehind: IsBehind | undefined
  readonly purpose: Purpose
  readonly notBefore: number | undefined
  readonly kept: Remembered | undefined
}

/** As many reads as may run at once are running. */
export class TooManyLoads extends SpliceError {
  constructor() {
    super('tooManyReads', {}, { retryAfter: 1 })
  }
}

const mostQuestionBytes = 33_554_432
const shareOfRest = 8

/**
 * Limits the memory that questions take. Beside others, a question gets at most an eighth of what is
 * left, so that long questions leave room for short ones.
 */
export class QuestionBytes {
  #held = 0

  /** @throws TooManyLoads */
  hold(bytes: number): void {
    if (this.#held > 0 && bytes * shareOfRest > mostQuestionBytes - this.#held) throw new TooManyLoads()
    this.#held += bytes
  }

  release(bytes: number): void {
    this.#held -= bytes
  }
}

export interface AnswersOptions {
  readonly maxLoads?: number
}

export interface AnswersDeps {
  readonly store: SyncStore
  readonly invalidations: InvalidationLog
  readonly clock: Clock
  readonly events: CacheEvents
}

/**
 * Serves stored answers by key, and loads missing ones. Concurrent callers of one key share one
 * load. Callers get a stale answer while a refresh runs. No error is ever stored.
 */
export class Answers implements AsyncDisposable {
  readonly #store: SyncStore
  readonly #invalidations: InvalidationLog
  readonly #clock: Clock
  readonly #events: CacheEvents
  readonly #maxLoads: number
  readonly #flights = new Map<string, Flight>()
  readonly #running = new Set<Flight>()
  readonly #pauses: Pauses
  /** The keys of all callers that wait. A key is as long as its question. */
  readonly #waiting = new QuestionBytes()
  #isAborted = false

  constructor({ maxLoads = 10_000 }: AnswersOptions, { store, invalidations, clock, events }: AnswersDeps) {
    this.#maxLoads = maxLoads
    this.#store = store
    this.#invalidations = invalidations
    this.#clock = clock
    this.#events = events
    this.#pauses = new Pauses(clock)
  }

  /**
   * @throws TooManyLoads; the error of the load or of `caller.beforeLoad`; the reason for which the
   * caller left.
   */
  get(key: string, load: Load, caller: CacheCaller = {}, isBehind?: IsBehind): MaybePromise<Served> {
    const { receivedAt = momentOf(this.#clock), notBefore } = caller
    const kept = this.#store.peek(key)
    const served = kept && this.#serve(kept, receivedAt, notBefore)
    if (served !== undefined) {
      const isStale = served.how === 'stale'
      if (isStale && this.#refreshIsDue(key) && caller.mayRefresh?.() !== false)
        this.#refresh(key, { load, isBehind, kept }, caller)
      this.#events.cacheLookup('memory', isStale ? 'stale' : 'hit')
      return served
    }
    caller.beforeLoad?.()
    this.#events.cacheLookup('memory', 'miss')
    return this.#loaded(key, { load, isBehind, purpose: 'answer', notBefore, kept }, caller)
  }

  /** Drops what is stored. The next caller of the key starts a load. */
  forget(key: string): void {
    void this.#store.delete(key)
  }

  /** Aborts all loads for a shutdown. Every waiting caller gets this error. */
  abortAllLoads(error: Error): void {
    this.#isAborted = true
    for (const { load } of this.#running) load?.source.abort(error)
  }

  /** Aborts all loads. The store stays open, because it has another owner. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.abortAllLoads(new Error('the cache is closing'))
  }

  /** Waits for the load of this key that runs, if the caller may, and for a new one otherwise. */
  async #loaded(key: string, request: LoadRequest, caller: CacheCaller): Promise<Served> {
    this.#waiting.hold(key.length)
    try {
      const running = this.#flights.get(key)
      const joins = running !== undefined && this.#mayJoin(key, running.start, request.notBefore)
      const served = await this.#wait(key, joins ? running : this.#startLoad(key, request), caller)
      if (served.how === 'stale') this.#refresh(key, { ...request, kept: undefined }, caller)
      return joins && isLoaded(served) ? { ...served, how: 'collapsed' } : served
    } finally {
      this.#waiting.release(key.length)
    }
  }

  /** Waits for a load, until the caller leaves. */
  #wait(key: string, flight: Flight, caller: CacheCaller): Promise<Served> {
    if (flight.load === undefined) throw new Error('this load has ended')
    const { served } = flight.load
    flight.callers += 1
    if (caller.whenLeft === undefined) return served
    return new Promise((resolve, reject) => {
      caller.whenLeft?.((reason) => {
        reject(reason)
        flight.callers -= 1
        if (flight.callers > 0 || flight.load === undefined) return
        this.#close(key, flight)
        flight.load.source.abort(reason)
      })
      served.then(resolve, reject)
    })
  }

  #mayJoin(key: string, start: LoadStart, notBefore: number | undefined): boolean {
    if (!this.#invalidations.isCurrent(key, start.point)) return false
    if (notBefore === undefined) return true
    if (!beganSince(start.begunAt, notBefore, momentOf(this.#clock))) return false
    // With Redis (`peeksAll` is false), a running load can return an older answer of another
    // daemon. The caller can join only a load that itself rejects answers from before `notBefore`.
    return this.#store.peeksAll || (start.notBefore !== undefined && start.notBefore >= notBefore)
  }

  #serve(kept: Remembered, at: Moment, notBefore: number | undefined): Served | undefined {
    const { answer, agreedAt, lifetime } = kept
    const state = freshness(kept, at)
    if (state === 'ended' || !isAgreedSince(agreedAt, notBefore, at)) return undefined
    return { answer, agreedAt, how: state === 'fresh' ? 'hit' : 'stale', stored: true, lifetime }
  }

  #refreshIsDue(key: string): boolean {
    return !this.#flights.has(key) && !this.#pauses.holds(key) && this.#running.size < this.#maxLoads
  }

  #refresh(key: string, request: Omit<LoadRequest, 'purpose' | 'notBefore'>, caller: CacheCaller): void {
    if (!this.#refreshIsDue(key)) return
    const flight = this.#startLoad(key, { ...request, purpose: 'refresh', notBefore: undefined })
    this.#wait(key, flight, {}).then(
      () => this.#pauses.succeeded(key),
      (error: unknown) => {
        this.#pauses.failed(key)
        if (!this.#isAborted) this.#events.refreshFailed(readOf(key), error, caller.requestId?.())
      },
    )
  }

  #startLoad(key: string, request: LoadRequest): Flight {
    if (this.#running.size >= this.#maxLoads) throw new TooManyLoads()
    const start: LoadStart = {
      point: this.#invalidations.current,
      begunAt: momentOf(this.#clock),
      notBefore: request.notBefore,
      laterLoadBeganAt: undefined,
    }
    const running = this.#flights.get(key)
    if (running !== undefined) running.start.laterLoadBeganAt = start.begunAt
    const source = new AbortController()
    const served = this.#runLoad(key, request, start, source.signal)
    const flight: Flight = { start, callers: 0, load: { source, served } }
    this.#flights.set(key, flight)
    this.#running.add(flight)
    const end = () => {
      flight.load = undefined
      this.#running.delete(flight)
      this.#close(key, flight)
    }
    served.then(end, end)
    return flight
  }

  #close(key: string, flight: Flight): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key)
  }

  async #runLoad(
    key: string,
    { load, isBehind, purpose, notBefore, kept: inMemory }: LoadRequest,
    start: LoadStart,
    signal: AbortSignal,
  ): Promise<Served> {
    const kept = this.#store.peeksAll ? inMemory : await this.#store.get(key, isBehind)
    const served = kept && this.#serve(kept, momentOf(this.#clock), notBefore)
    if (served !== undefined && (served.how === 'hit' || purpose === 'answer')) return served
    signal.throwIfAborted()
    const loaded = await load(signal, purpose)
    const how = notBefore !== undefined ? 'request' : kept === undefined ? 'miss' : 'ended'
    const agreedAt = momentOf(this.#clock)
    const { answer, lifetime } = loaded
    const isLatest = this.#isLatest(key, start)
    const stored = isLatest && this.#keep(key, loaded, agreedAt, start)
    // Of two loads that overlap, the one that began first may end with the newer answer. What is
    // stored is then deleted, as it is where the new answer replaces it but may not be stored.
    if (!stored && (kept !== undefined || !isLatest)) void this.#store.delete(key)
    return { answer, agreedAt, how, stored, lifetime }
  }

  /**
   * Whether a load may store its answer. A load must not replace the answer of a load that began
   * later. A load that began before an invalidation must store nothing.
   */
  #isLatest(key: string, { point, laterLoadBeganAt }: LoadStart): boolean {
    if (!this.#invalidations.isCurrent(key, point)) return false
    const storedAt = laterLoadBeganAt === undefined ? undefined : this.#store.peek(key)?.agreedAt
    return storedAt === undefined || laterLoadBeganAt === undefined || storedAt.now < laterLoadBeganAt.now
  }

  #keep(key: string, loaded: Loaded, agreedAt: Moment, { point }: LoadStart): boolean {
    const { answer, lifetime, sharedInRedis } = loaded
    if (lifetime === undefined || !storable(answer, lifetime, this.#clock.wall())) return false
    if (answer.kind === 'absence' && this.#invalidations.withholdsAbsence(key)) return false
    void this.#store.set(key, { answer, lifetime, agreedAt, point, sharedInRedis })
    return this.#store.peek(key) !== undefined
  }
}

function isLoaded({ how }: Served): boolean {
  return how === 'miss' || how === 'ended' || how === 'request'
}

/**
 * Whether an answer that was agreed at `agreedAt` is new enough for a caller who wants none from
 * before `notBefore`. No answer is if `notBefore` is not in the past.
 * @param notBefore milliseconds since 1970; undefined if the caller accepts any age.
 */
function isAgreedSince(agreedAt: Moment, notBefore: number | undefined, at: Moment): boolean {
  if (notBefore === undefined) return true
  return notBefore < at.wall && ageMs(agreedAt, at) <= at.wall - notBefore
}

/**
 * Whether a running load began late enough for a caller who wants no answer from before
 * `notBefore`. If `notBefore` is in the future, the present millisecond is late enough.
 * @param notBefore milliseconds since 1970.
 */
function beganSince(begunAt: Moment, notBefore: number, at: Moment): boolean {
  return ageMs(begunAt, at) < Math.max(0, at.wall - notBefore) + 1
}

interface Pause {
  readonly until: number
  readonly ms: number
}

class Pauses {
  readonly #clock: Clock
  readonly #pauses = new LRUCache<string, Pause>({ max: maxPauses })

  constructor(clock: Clock) {
    this.#clock = clock
  }

  holds(key: string): boolean {
    const pause = this.#pauses.get(key)
    return pause !== undefined && this.#clock.now() < pause.until
  }

  failed(key: string): void {
    const ms = Math.min(maxMs, (this.#pauses.get(key)?.ms ?? firstMs / 2) * 2)
    this.#pauses.set(key, { until: this.#clock.now() + ms, ms })
  }

  succeeded(key: string): void {
    this.#pauses.delete(key)
  }
}
