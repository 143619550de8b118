import { type Clock, type Moment, momentOf } from '../lib/clock.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Answer, Lifetime } from './answer.ts'
import type { AsOf } from './as-of.ts'
import type { CacheEvents } from './events.ts'
import { freshness, storable } from './freshness.ts'
import type { Invalidations } from './invalidations.ts'
import { readOf } from './key.ts'
import type { Load, Loaded, Purpose } from './load.ts'
import { beganSince, earliestAgreed } from './not-before.ts'
import { Pauses } from './refresh-pauses.ts'
import { type Departure, Flight } from './single-flight.ts'
import type { Remembered, SyncStore } from './store.ts'

/**
 * The way in which the cache got an answer.
 * - `hit`: stored and fresh.
 * - `stale`: stored and stale; a refresh runs or is delayed.
 * - `miss`: loaded, because nothing was stored.
 * - `ended`: loaded, because the stored answer was too old to be served.
 * - `request`: loaded, because the caller wanted an answer that is not older than a given time.
 * - `collapsed`: loaded together with an earlier caller, whose load was still running.
 * - `mirror`: taken from the mirror of names, without asking any super validator.
 */
export type How = 'hit' | 'stale' | 'miss' | 'ended' | 'request' | 'collapsed' | 'mirror'

export interface Served {
  readonly answer: Answer
  /** The time at which the answer was agreed, as a value of `Clock.now()`. */
  readonly agreedAt: number
  readonly how: How
  /** Whether the answer is now in the cache or in the mirror, for later callers. */
  readonly stored: boolean
  /** The time for which the answer may be served. Undefined if the answer must not be stored. */
  readonly lifetime: Lifetime | undefined
  /**
   * The time at which the answer of the mirror was true, and how certain it is. Absent if the mirror did not
   * answer.
   */
  readonly asOf?: AsOf
}

/** The properties of a caller's request that the cache and its loads need. */
export interface CacheCaller {
  /** The current time; if absent, the cache reads the clock. */
  readonly receivedAt?: Moment
  /**
   * The caller accepts only an answer that was agreed at this time or later, in milliseconds since 1970. If absent, the
   * answer may be as old as its lifetime permits. If the time is now or in the future, the caller needs a load that
   * begins now.
   */
  readonly notBefore?: number | undefined
  /** Returns a signal that ends the caller's wait when it aborts. Called only if the caller has to wait. */
  readonly signal?: () => AbortSignal
  /**
   * Whether this caller may start the refresh of a stale answer; true by default. The caller gets the stale answer in
   * both cases.
   */
  readonly mayRefresh?: () => boolean
  /**
   * Called before this caller starts a load or waits for a running one. If `beforeLoad` throws, the caller
   * gets that error.
   */
  readonly beforeLoad?: () => void
  /** Returns the id of the caller's request, for the log. */
  readonly requestId?: () => string
}

/**
 * The input of a load. The caller accepts only an answer that was agreed at `notBefore` or later, in
 * milliseconds since 1970. `kept` is the answer in memory, if there is one.
 */
interface Journey {
  readonly load: Load
  readonly purpose: Purpose
  readonly notBefore: number | undefined
  readonly kept: Remembered | undefined
}

/** Thrown if no load can begin, because the maximum number of loads is running. */
export class TooManyLoads extends Error {
  override readonly name = 'TooManyLoads'

  constructor() {
    super('as many reads as may run at once are running')
  }
}

export interface AnswersOptions {
  readonly maxLoads?: number
}

export interface AnswersDeps {
  readonly store: SyncStore
  readonly invalidations: Invalidations
  readonly clock: Clock
  readonly events: CacheEvents
}

/**
 * Returns answers by key, stored or loaded. Concurrent requests for one key share one load, with two
 * exceptions: the key was invalidated after the load began, or the load may give an older answer than the
 * caller accepts. While a refresh runs, callers get the stale answer. After a failed refresh, the next
 * refresh is delayed. An error reaches every waiting caller and is never stored.
 */
export class Answers implements AsyncDisposable {
  readonly #store: SyncStore
  readonly #invalidations: Invalidations
  readonly #clock: Clock
  readonly #events: CacheEvents
  readonly #maxLoads: number
  /** The running loads that new callers may join, by key. */
  readonly #flights = new Map<string, Flight<Served>>()
  readonly #running = new Set<Flight<Served>>()
  readonly #pauses: Pauses
  #isCut = false

  constructor({ maxLoads = 10_000 }: AnswersOptions, { store, invalidations, clock, events }: AnswersDeps) {
    this.#maxLoads = maxLoads
    this.#store = store
    this.#invalidations = invalidations
    this.#clock = clock
    this.#events = events
    this.#pauses = new Pauses(clock)
  }

  /**
   * Returns a stored answer at once if it may be served. Otherwise resolves with the result of a load.
   * @throws TooManyLoads; the error of the load or of `caller.beforeLoad`; the reason of `caller.signal` as soon as it
   * aborts.
   */
  get(key: string, load: Load, caller: CacheCaller = {}): MaybePromise<Served> {
    const { receivedAt = momentOf(this.#clock), notBefore } = caller
    const kept = this.#store.peek(key)
    const served = kept && this.#serve(kept, receivedAt, notBefore)
    if (served !== undefined) {
      const isStale = served.how === 'stale'
      if (isStale && this.#refreshIsDue(key) && caller.mayRefresh?.() !== false)
        this.#refresh(key, load, kept, caller)
      this.#events.cacheLookup('memory', isStale ? 'stale' : 'hit')
      return served
    }
    const signal = caller.signal?.()
    signal?.throwIfAborted()
    caller.beforeLoad?.()
    this.#events.cacheLookup('memory', 'miss')
    return this.#join(key, { load, purpose: 'answer', notBefore, kept }, caller, signal)
  }

  /**
   * Aborts all loads, for the shutdown of the daemon: all waiting callers get this error, and failed
   * refreshes are not reported any more.
   */
  cut(error: Error): void {
    this.#isCut = true
    for (const flight of this.#running) flight.abort(error)
  }

  /** Aborts all loads. The store stays open, because it has another owner. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.cut(new Error('the cache is closing'))
  }

  async #join(
    key: string,
    journey: Journey,
    caller: CacheCaller,
    signal: AbortSignal | undefined,
  ): Promise<Served> {
    const flying = this.#flights.get(key)
    const joins = flying !== undefined && this.#mayJoin(key, flying.departure, journey.notBefore)
    const flight = joins ? flying : this.#depart(key, journey)
    const served = await (signal === undefined ? flight.hold() : flight.join(signal))
    if (served.how === 'stale') this.#refresh(key, journey.load, undefined, caller)
    return joins && isLoaded(served) ? { ...served, how: 'collapsed' } : served
  }

  #mayJoin(key: string, departure: Departure, notBefore: number | undefined): boolean {
    if (!this.#invalidations.isCurrent(key, departure.point)) return false
    if (notBefore === undefined) return true
    if (!beganSince(departure.begunAt, notBefore, momentOf(this.#clock))) return false
    // With Redis (`peeksAll` is false), the running load may return an answer that another daemon stored
    // earlier. The caller can join only if the load itself rejects answers from before the caller's
    // `notBefore`.
    return this.#store.peeksAll || (departure.notBefore !== undefined && departure.notBefore >= notBefore)
  }

  #serve(kept: Remembered, at: Moment, notBefore: number | undefined): Served | undefined {
    const { answer, agreedAt, lifetime } = kept
    const { state } = freshness(kept, at.now, at.wall)
    if (state === 'ended' || agreedAt < earliestAgreed(notBefore, at)) return undefined
    return { answer, agreedAt, how: state === 'fresh' ? 'hit' : 'stale', stored: true, lifetime }
  }

  #refreshIsDue(key: string): boolean {
    return !this.#flights.has(key) && !this.#pauses.holds(key) && this.#running.size < this.#maxLoads
  }

  /**
   * Starts a refresh and does not wait for it. Does nothing if a load of the key runs, if the refresh is
   * delayed after a failure, or if too many loads run. A failure delays the next refresh.
   * @param kept the answer in memory; undefined if the caller did not look it up.
   */
  #refresh(key: string, load: Load, kept: Remembered | undefined, caller: CacheCaller): void {
    if (!this.#refreshIsDue(key)) return
    this.#depart(key, { load, purpose: 'refresh', notBefore: undefined, kept })
      .hold()
      .then(
        () => this.#pauses.succeeded(key),
        (error: unknown) => {
          this.#pauses.failed(key)
          if (!this.#isCut) this.#events.refreshFailed(readOf(key), error, caller.requestId?.())
        },
      )
  }

  #depart(key: string, journey: Journey): Flight<Served> {
    if (this.#running.size >= this.#maxLoads) throw new TooManyLoads()
    const departure: Departure = {
      point: this.#invalidations.current,
      begunAt: this.#clock.now(),
      notBefore: journey.notBefore,
      overtakenAt: undefined,
    }
    const close = () => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key)
    }
    const run = (source: AbortController) =>
      this.#fly(key, journey, departure, source).finally(() => {
        this.#running.delete(flight)
        close()
      })
    const flying = this.#flights.get(key)
    if (flying !== undefined) flying.departure.overtakenAt = departure.begunAt
    const flight: Flight<Served> = new Flight(departure, run, close)
    this.#flights.set(key, flight)
    this.#running.add(flight)
    return flight
  }

  async #fly(
    key: string,
    { load, purpose, notBefore, kept: inMemory }: Journey,
    departure: Departure,
    source: AbortController,
  ): Promise<Served> {
    const kept = this.#store.peeksAll ? inMemory : await this.#store.get(key)
    const served = kept && this.#serve(kept, momentOf(this.#clock), notBefore)
    if (served !== undefined && (served.how === 'hit' || purpose === 'answer')) return served
    source.signal.throwIfAborted()
    const loaded = await load(source, purpose)
    const how = notBefore !== undefined ? 'request' : kept === undefined ? 'miss' : 'ended'
    const agreedAt = this.#clock.now()
    const { answer, lifetime } = loaded
    const isLatest = this.#isLatest(key, departure)
    const stored = isLatest && this.#keep(key, loaded, agreedAt, departure)
    // If the new answer was not stored, the daemon deletes the stored one, which is older. Exception: after
    // an invalidation, or after a later load stored its answer, the stored answer may be newer than this one.
    // It then stays.
    if (!stored && kept !== undefined && isLatest) void this.#store.delete(key)
    return { answer, agreedAt, how, stored, lifetime }
  }

  /**
   * Whether a load may store its answer. False if the key was invalidated after the load began. Also false if a load
   * that began later may have stored its answer already.
   */
  #isLatest(key: string, { point, overtakenAt }: Departure): boolean {
    if (!this.#invalidations.isCurrent(key, point)) return false
    const storedAt = overtakenAt === undefined ? undefined : this.#store.peek(key)?.agreedAt
    return storedAt === undefined || overtakenAt === undefined || storedAt < overtakenAt
  }

  #keep(key: string, loaded: Loaded, agreedAt: number, { point }: Departure): boolean {
    const { answer, lifetime, sharedInRedis } = loaded
    if (lifetime === undefined || !this.#mayKeep(key, answer, lifetime)) return false
    void this.#store.set(key, { answer, lifetime, agreedAt, point, sharedInRedis })
    return this.#store.peek(key) !== undefined
  }

  #mayKeep(key: string, answer: Answer, lifetime: Lifetime): boolean {
    if (answer.kind === 'absence' && this.#invalidations.withholdsAbsence(key)) return false
    return storable(answer, lifetime, this.#clock.wall())
  }
}

function isLoaded({ how }: Served): boolean {
  return how === 'miss' || how === 'ended' || how === 'request'
}
