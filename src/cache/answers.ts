import { type Clock, type Moment, momentOf } from '../lib/clock.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Answer, Lifetime } from './answer.ts'
import type { CacheEvents } from './events.ts'
import { Flight } from './flight.ts'
import { freshness, storable } from './freshness.ts'
import type { Generation, Generations } from './generations.ts'
import { readOf } from './key.ts'
import { Pauses } from './pauses.ts'
import type { Remembered, SyncStore } from './store.ts'

/** What a load gives. */
export interface Loaded {
  readonly answer: Answer
  /** Undefined: not to be kept. */
  readonly lifetime: Lifetime | undefined
  /** False: kept by this process alone. */
  readonly sharedInRedis: boolean
}

/**
 * Rejects with whatever its callers are to see; stops when `source` aborts, because then nobody waits any more.
 * @param source may be aborted by the load itself, for what it has left running behind it.
 */
export type Load = (source: AbortController, purpose: Purpose) => Promise<Loaded>

/**
 * Where an answer came from: kept and fresh; kept and stale, a refresh being under way or put off; loaded, nothing being
 * kept; loaded, what was kept having ended; loaded, by a load that was under way already.
 */
export type How = 'hit' | 'stale' | 'miss' | 'ended' | 'collapsed'

export interface Served {
  readonly answer: Answer
  /** On `Clock.now()`. */
  readonly agreedAt: number
  readonly how: How
  /** Whether it is kept now. */
  readonly stored: boolean
  /** Undefined where the load said that it is not to be kept. */
  readonly lifetime: Lifetime | undefined
}

/** A refresh wants something fresh; a caller is content with what is stale. */
export type Purpose = 'answer' | 'refresh'

/** Who asks, and what a load for them depends on. */
export interface CacheCaller {
  /** For who has asked the clock already. */
  readonly at?: Moment
  /** Called where the caller has to wait: with it the wait ends. */
  readonly signal?: () => AbortSignal
  /**
   * Whether this caller may cause a load, or wait for one that others caused. For a refresh it may say no, and is served
   * what is stale; for an answer it throws what the caller is to see.
   */
  readonly mayLoad?: (purpose: Purpose) => boolean
}

/** A load, why it is wanted, and what memory has. */
interface Journey {
  readonly load: Load
  readonly purpose: Purpose
  readonly kept: Remembered | undefined
}

/** As many loads as may run at once are running. */
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
  readonly generations: Generations
  readonly clock: Clock
  readonly events: CacheEvents
}

/**
 * Answers by key, kept or loaded. However many ask for the same at once, it is loaded once; what is stale is served while
 * one refresh runs; a failed refresh is not tried again at once; an error goes to all who wait for it and is never kept.
 */
export class Answers implements AsyncDisposable {
  readonly #store: SyncStore
  readonly #generations: Generations
  readonly #clock: Clock
  readonly #events: CacheEvents
  readonly #maxLoads: number
  /** What may be joined. */
  readonly #flights = new Map<string, Flight<Served>>()
  readonly #running = new Set<Flight<Served>>()
  readonly #pauses: Pauses

  constructor({ maxLoads = 10_000 }: AnswersOptions, { store, generations, clock, events }: AnswersDeps) {
    this.#maxLoads = maxLoads
    this.#store = store
    this.#generations = generations
    this.#clock = clock
    this.#events = events
    this.#pauses = new Pauses(clock)
  }

  /**
   * What can be served of what is kept, at once; otherwise what a load gives.
   * @throws what the load or `mayLoad` throws; TooManyLoads; the signal's reason, as soon as it aborts.
   */
  get(key: string, load: Load, caller: CacheCaller = {}): MaybePromise<Served> {
    const { at = momentOf(this.#clock), mayLoad = always } = caller
    const kept = this.#store.peek(key)
    const served = kept && this.#serve(kept, at)
    if (served !== undefined) {
      const isStale = served.how === 'stale'
      if (isStale && this.#refreshIsDue(key) && mayLoad('refresh')) this.#refresh(key, load, kept)
      this.#events.cacheLookup('memory', isStale ? 'stale' : 'hit')
      return served
    }
    const signal = caller.signal?.()
    signal?.throwIfAborted()
    mayLoad('answer')
    this.#events.cacheLookup('memory', 'miss')
    return this.#join(key, load, kept, signal)
  }

  /** Ends all loads; whoever waits for one sees it fail. The store stays its owner's. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const flight of this.#running) flight.abort(new Error('the cache is closing'))
  }

  async #join(
    key: string,
    load: Load,
    kept: Remembered | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Served> {
    const flying = this.#flights.get(key)
    const joins = flying !== undefined && this.#generations.isCurrent(key, flying.generation)
    const flight = joins ? flying : this.#depart(key, { load, purpose: 'answer', kept })
    const served = await (signal === undefined ? flight.hold() : flight.join(signal))
    if (served.how === 'stale') this.#refresh(key, load, undefined)
    return joins && isLoaded(served) ? { ...served, how: 'collapsed' } : served
  }

  #serve(kept: Remembered, { now, wall }: Moment): Served | undefined {
    const { answer, agreedAt, lifetime } = kept
    const { state } = freshness(kept, now, wall)
    if (state === 'ended') return undefined
    return { answer, agreedAt, how: state === 'fresh' ? 'hit' : 'stale', stored: true, lifetime }
  }

  #refreshIsDue(key: string): boolean {
    return !this.#flights.has(key) && !this.#pauses.holds(key) && this.#running.size < this.#maxLoads
  }

  /** @param kept what memory has; undefined where that is not known. */
  #refresh(key: string, load: Load, kept: Remembered | undefined): void {
    if (!this.#refreshIsDue(key)) return
    this.#depart(key, { load, purpose: 'refresh', kept })
      .hold()
      .then(
        () => this.#pauses.succeeded(key),
        (error: unknown) => {
          this.#pauses.failed(key)
          this.#events.refreshFailed(readOf(key), error)
        },
      )
  }

  #depart(key: string, journey: Journey): Flight<Served> {
    if (this.#running.size >= this.#maxLoads) throw new TooManyLoads()
    const generation = this.#generations.current
    const close = () => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key)
    }
    const run = (source: AbortController) =>
      this.#fly(key, journey, generation, source).finally(() => {
        this.#running.delete(flight)
        close()
      })
    const flight: Flight<Served> = new Flight(generation, run, close)
    this.#flights.set(key, flight)
    this.#running.add(flight)
    return flight
  }

  async #fly(
    key: string,
    { load, purpose, kept: inMemory }: Journey,
    generation: Generation,
    source: AbortController,
  ): Promise<Served> {
    const kept = this.#store.peeksAll ? inMemory : await this.#store.get(key)
    const served = kept && this.#serve(kept, momentOf(this.#clock))
    if (served !== undefined && (served.how === 'hit' || purpose === 'answer')) return served
    source.signal.throwIfAborted()
    const loaded = await load(source, purpose)
    const how = kept === undefined ? 'miss' : 'ended'
    const agreedAt = this.#clock.now()
    const { answer, lifetime } = loaded
    const stored = this.#keep(key, loaded, agreedAt, generation)
    // What was kept is older than what the quorum says now; under an older generation this load cannot tell.
    if (!stored && kept !== undefined && this.#generations.isCurrent(key, generation))
      void this.#store.delete(key)
    return { answer, agreedAt, how, stored, lifetime }
  }

  #keep(key: string, loaded: Loaded, agreedAt: number, generation: Generation): boolean {
    if (!this.#generations.isCurrent(key, generation)) return false
    const { answer, lifetime, sharedInRedis } = loaded
    if (lifetime === undefined || !this.#mayKeep(key, answer, lifetime)) return false
    void this.#store.set(key, { answer, lifetime, agreedAt, generation, sharedInRedis })
    return this.#store.peek(key) !== undefined
  }

  #mayKeep(key: string, answer: Answer, lifetime: Lifetime): boolean {
    if (answer.kind === 'absence' && this.#generations.withholdsAbsence(key)) return false
    return storable(answer, lifetime, this.#clock.wall())
  }
}

const always = () => true

function isLoaded({ how }: Served): boolean {
  return how === 'miss' || how === 'ended'
}
