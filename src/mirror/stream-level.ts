import type { Answer, Lifetime } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import type { AsOf } from '../cache/as-of.ts'
import { cacheKey } from '../cache/key.ts'
import type { Clock, Moment } from '../lib/clock.ts'
import type { Question } from '../reads/read.ts'
import type { Roster } from '../scan/roster.ts'
import type { AgreedSet } from './agreed-set.ts'
import type { ChangeFeed } from './change-feed.ts'
import {
  type Followed,
  type FollowedChange,
  Following,
  type Reconciliation,
  type UpdatePage,
} from './following.ts'
import type { LedgerReach } from './ledger-time.ts'
import { NewerAnswers } from './newer-answers.ts'
import { StateAnswers } from './state-answers.ts'

/** The reason why level `stream` of the mirror does not answer. */
export type StreamDegradation =
  /**
   * The mirror has taken no set yet, or it had to stop following updates and has taken no set since. `why` is
   * a sentence.
   */
  | { readonly kind: 'not-following'; readonly why: string }
  | { readonly kind: 'roster' }
  /**
   * The last page that reached the end of the updates came `seconds` ago, which is more than `maxLagMs`. If
   * no page has reached the end yet, `seconds` is undefined.
   */
  | { readonly kind: 'lag'; readonly seconds: number | undefined }

/** Returns the sentence that states the reason in `/status` and in the log. */
export function streamSentence(degradation: StreamDegradation): string {
  switch (degradation.kind) {
    case 'not-following':
      return degradation.why
    case 'roster':
      return 'The roster or its thresholds changed, so updates are followed from the next snapshot on.'
    case 'lag':
      return degradation.seconds === undefined
        ? 'The updates since the snapshot are still being read.'
        : `The end of the updates was last reached ${degradation.seconds} s ago, more than mirror.maxLag.`
  }
}

export interface StreamLevelOptions {
  /** If no page has reached the end of the updates for this long, level `stream` does not answer. */
  readonly maxLagMs: number
  /** The times for which callers may cache values and absences. The keys are the ids of reads. */
  readonly times: Readonly<Record<string, { readonly value: Lifetime; readonly absence: Lifetime }>>
}

export interface StreamLevelDeps {
  readonly clock: Clock
  readonly roster: () => Roster | undefined
  /** Receives every change of names. */
  readonly feed: ChangeFeed
  /**
   * Whether this daemon learnt seconds ago that the name behind this cache key changed. If so, an absence
   * must not be served.
   */
  readonly withholdsAbsence: (key: string) => boolean
  /** Called when level `stream` begins to answer. */
  readonly followed: () => void
  readonly unfollowed: (why: StreamDegradation) => void
}

/** The time at which a caller asks a question, and the oldest answer that the caller accepts. */
export interface StreamMoment {
  readonly moment: Moment
  readonly reach: LedgerReach
  /**
   * The answer must be true at this time or later: milliseconds since 1970. Undefined if the caller accepts
   * an answer of any age.
   */
  readonly notBefore: number | undefined
  readonly generation: number
}

/**
 * Level `stream` of the mirror: answers from the names that the ledger had at the last followed update
 * (docs/mirror.md#level-stream).
 */
export class StreamLevel {
  readonly #options: StreamLevelOptions
  readonly #deps: StreamLevelDeps
  readonly #answers = new StateAnswers()
  readonly #newer = new NewerAnswers()
  #following: Following | undefined
  #ended = 'No snapshot is agreed yet.'
  #told: StreamDegradation['kind'] | 'served' = 'not-following'

  constructor(options: StreamLevelOptions, deps: StreamLevelDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** The names at the last followed update; undefined while updates cannot be followed. */
  get following(): Following | undefined {
    return this.#following
  }

  /** Returns the reason why this level does not answer; undefined while it answers. */
  degradation(moment: Pick<Moment, 'now'>): StreamDegradation | undefined {
    const following = this.#following
    if (following === undefined) return { kind: 'not-following', why: this.#ended }
    if (following.trustDigest !== this.#deps.roster()?.trustDigest) return { kind: 'roster' }
    const lagMs = following.lagMs(moment)
    if (lagMs <= this.#options.maxLagMs) return undefined
    return { kind: 'lag', seconds: Number.isFinite(lagMs) ? Math.round(lagMs / 1000) : undefined }
  }

  /**
   * Restores the names of level `stream`: those of the stored snapshot `set`, changed by the stored updates after
   * it. `followed` is undefined if no updates are stored.
   */
  restore(set: AgreedSet, followed: Followed | undefined): void {
    const { feed } = this.#deps
    feed.take(set)
    if (followed === undefined) {
      this.#following = new Following(set)
      return
    }
    const changes: FollowedChange[] = []
    this.#following = Following.restored(set, followed, (change) => changes.push(change))
    feed.follow(changes, followed.at)
  }

  /** Continues from a set that the mirror took. Returns the already followed updates after that set. */
  take(set: AgreedSet): Followed {
    if (this.#following === undefined || !this.#following.rebase(set)) {
      this.#deps.feed.take(set, this.#following?.entries())
      this.#following = new Following(set)
    }
    return this.#following.followed
  }

  /**
   * Applies a page of updates. Returns the updates of the page, which the caller must store. If the page
   * cannot be applied, drops the followed names and returns undefined. Also undefined if no names are
   * followed.
   */
  follow(page: UpdatePage): Followed | undefined {
    const outcome = this.#following?.follow(page)
    if (outcome === undefined) return undefined
    if (outcome.kind === 'broken') {
      this.end(`${outcome.why} Updates are followed from the next snapshot on.`)
      return undefined
    }
    this.#deps.feed.follow(outcome.changes, outcome.step.at)
    return outcome.step
  }

  reconcile(set: AgreedSet): Reconciliation {
    return this.#following?.reconcile(set) ?? { kind: 'skipped' }
  }

  /** Drops the followed names. `why` is the sentence that says why this level does not answer any more. */
  end(why: string): void {
    this.#following = undefined
    this.#ended = why
  }

  /**
   * Calls `followed` if this level has begun to answer since the last call of this method. Calls `unfollowed`
   * if it has ceased to answer, or if the reason for not answering has changed.
   */
  tell(): void {
    const why = this.degradation({ now: this.#deps.clock.now() })
    const kind = why?.kind ?? 'served'
    if (kind === this.#told) return
    this.#told = kind
    if (why === undefined) this.#deps.followed()
    else this.#deps.unfollowed(why)
  }

  /**
   * Receives every answer of a live read. If it differs from this level's own answer, this level does not
   * answer the question until the updates have caught up with the live read.
   */
  heard(question: Question, live: Answer, reach: LedgerReach): void {
    const following = this.#following
    if (following === undefined) return
    const key = cacheKey('', question.read.id, question.params)
    const own = this.#answers.find(key, question, { following, reach })
    // `reached` never goes back, unlike the daemon's clock.
    this.#newer.heard(key, live, { own, agreedAt: reach.reached })
  }

  /** Returns the answer from the followed names; undefined if this level cannot answer the question now. */
  find(question: Question, { moment, reach, notBefore, generation }: StreamMoment): Served | undefined {
    const times = this.#options.times[question.read.id]
    const following = this.#following
    if (following === undefined || times === undefined || this.degradation(moment) !== undefined)
      return undefined
    const { at } = following
    if (notBefore !== undefined && at < notBefore) return undefined
    const key = cacheKey('', question.read.id, question.params)
    const answer = this.#answers.find(key, question, { following, reach })
    if (answer === undefined || this.#newer.isBehind(key, answer, at)) return undefined
    if (answer.kind === 'absence' && this.#deps.withholdsAbsence(key)) return undefined
    const lifetime = answer.kind === 'value' ? times.value : times.absence
    const asOf: AsOf = { at, claim: 'state', basis: 'stream', generation }
    return { answer, agreedAt: moment.now, how: 'mirror', stored: true, lifetime, asOf }
  }
}
