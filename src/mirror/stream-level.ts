import type { Answer, Lifetime } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import type { AsOf } from '../cache/as-of.ts'
import { cacheKey } from '../cache/key.ts'
import { type Clock, type Moment, momentOf } from '../lib/clock.ts'
import { wholeWork } from '../lib/in-portions.ts'
import type { Question } from '../reads/read.ts'
import type { Roster } from '../scan/roster.ts'
import type { AgreedSet } from './agreed-set.ts'
import type { ChangeFeed } from './change-feed.ts'
import { continuityIn } from './continuity.ts'
import { Following, type Reconciliation, type UpdatePage } from './following.ts'
import type { LedgerReach } from './ledger-time.ts'
import { NewerAnswers } from './newer-answers.ts'
import { StateAnswers } from './state-answers.ts'

export type StreamDegradation =
  /** The mirror has no set of names yet, or had to stop following updates. `why` is a sentence. */
  | { readonly kind: 'not-following'; readonly why: string }
  | { readonly kind: 'roster' }
  /**
   * The followed updates are behind the ledger (`lagMs`) by `seconds`, which is more than `maxLagMs`.
   * Undefined if no page of updates ever reached the end.
   */
  | { readonly kind: 'lag'; readonly seconds: number | undefined }

export function streamSentence(degradation: StreamDegradation): string {
  switch (degradation.kind) {
    case 'not-following':
      return degradation.why
    case 'roster':
      return 'The roster or its thresholds changed, so updates are followed from the next snapshot on.'
    case 'lag':
      return degradation.seconds === undefined
        ? 'The updates since the snapshot are still being read.'
        : `The followed updates are ${degradation.seconds} s behind the ledger, more than mirror.maxLag.`
  }
}

export interface StreamLevelOptions {
  readonly maxLagMs: number
  readonly times: Readonly<Record<string, { readonly value: Lifetime; readonly absence: Lifetime }>>
}

export interface StreamLevelDeps {
  readonly clock: Clock
  readonly roster: () => Roster | undefined
  readonly feed: ChangeFeed
  /**
   * True if this daemon learnt seconds ago that the name behind this cache key changed. An absence
   * must then not be served.
   */
  readonly withholdsAbsence: (key: string) => boolean
  readonly followed: () => void
  readonly unfollowed: (why: StreamDegradation) => void
}

export interface StreamMoment {
  readonly moment: Moment
  readonly reach: LedgerReach
  /**
   * The answer must be true at this time or later: milliseconds since 1970. With undefined, the
   * caller accepts an answer of any age.
   */
  readonly notBefore: number | undefined
  readonly generation: number
}

/**
 * Level `stream` of the mirror answers from the names that the ledger had at the last followed
 * update (docs/mirror.md#level-stream).
 */
export class StreamLevel {
  readonly #options: StreamLevelOptions
  readonly #deps: StreamLevelDeps
  readonly #answers = new StateAnswers()
  readonly #newer = new NewerAnswers()
  #following: Following | undefined
  #head = Number.NEGATIVE_INFINITY
  #ended = 'No snapshot is agreed yet.'
  #told: StreamDegradation['kind'] | 'served' = 'not-following'

  constructor(options: StreamLevelOptions, deps: StreamLevelDeps) {
    this.#options = options
    this.#deps = deps
  }

  get following(): Following | undefined {
    return this.#following
  }

  degradation(moment: Moment): StreamDegradation | undefined {
    const following = this.#following
    if (following === undefined) return { kind: 'not-following', why: this.#ended }
    if (following.trustDigest !== this.#deps.roster()?.trustDigest) return { kind: 'roster' }
    const lagMs = this.lagMs(moment)
    if (lagMs <= this.#options.maxLagMs) return undefined
    return { kind: 'lag', seconds: Number.isFinite(lagMs) ? Math.round(lagMs / 1000) : undefined }
  }

  /**
   * Returns how far the followed updates are behind the ledger: the time since the end of the updates
   * was reached, or how much further more than f super validators have come, whichever is larger
   * (quorum.md#standing-still-is-noticed).
   */
  lagMs(at: Moment): number {
    const following = this.#following
    if (following === undefined) return Number.POSITIVE_INFINITY
    return Math.max(following.lagMs(at), this.#head - following.at)
  }

  /** @param reached a record time that more than f super validators have reached. */
  learnHead(reached: number): void {
    this.#head = Math.max(this.#head, reached)
  }

  restore(set: AgreedSet): void {
    this.#deps.feed.take(set)
    this.#following = wholeWork(Following.of(set))
  }

  /**
   * Prepares to continue from a set of names, and returns a function that does it. The caller must
   * let no page be followed meanwhile.
   */
  *take(set: AgreedSet): Generator<void, () => void> {
    const former = this.#following
    if (former?.continues(set) === true) return () => former.rebase(set)
    const next = yield* Following.of(set)
    const continuity = former && (yield* continuityIn(former.entries(), set.entries, set.at))
    return () => {
      if (former?.dso !== set.dso) this.#head = Number.NEGATIVE_INFINITY
      this.#deps.feed.take(set, this.#following === former ? continuity : undefined)
      this.#following = next
    }
  }

  /**
   * Applies a page of updates. Returns the record time of the last update that was followed, or
   * undefined if the page cannot be applied, or if the mirror follows no updates.
   */
  follow(page: UpdatePage): string | undefined {
    const outcome = this.#following?.follow(page)
    if (outcome === undefined) return undefined
    if (outcome.kind === 'broken') {
      this.end(`${outcome.why} Updates are followed from the next snapshot on.`)
      return undefined
    }
    this.#deps.feed.follow(outcome.changes, outcome.at)
    return outcome.at
  }

  *reconcile(set: AgreedSet): Generator<void, Reconciliation> {
    return this.#following === undefined ? { kind: 'skipped' } : yield* this.#following.reconcile(set)
  }

  end(why: string): void {
    this.#following = undefined
    this.#ended = why
  }

  /**
   * Reports a change since the last call: this level has begun to answer, has ceased to answer, or
   * has another reason not to answer.
   */
  tell(): void {
    const why = this.degradation(momentOf(this.#deps.clock))
    const kind = why?.kind ?? 'served'
    if (kind === this.#told) return
    this.#told = kind
    if (why === undefined) this.#deps.followed()
    else this.#deps.unfollowed(why)
  }

  /**
   * Takes note of an answer that super validators gave. If this level would answer otherwise, it
   * leaves the question to them until it has followed later updates.
   */
  heard(question: Question, live: Answer, reach: LedgerReach): void {
    const following = this.#following
    if (following === undefined) return
    const key = cacheKey('', question.read.id, question.params)
    const own = this.#answers.find(key, question, { following, reach })
    // `reached` never goes back, unlike the daemon's clock.
    this.#newer.heard(key, live, { own, agreedAt: reach.reached })
  }

  find(question: Question, { moment, reach, notBefore, generation }: StreamMoment): Served | undefined {
    const times = this.#options.times[question.read.id]
    const following = this.#following
    if (following === undefined || times === undefined || this.degradation(moment) !== undefined)
      return undefined
    const { at } = following
    if (notBefore !== undefined && at < notBefore) return undefined
    const answer = this.known(question, reach)
    if (answer === undefined) return undefined
    const lifetime = answer.kind === 'value' ? times.value : times.absence
    const asOf: AsOf = { at, claim: 'state', basis: 'stream', generation }
    return { answer, agreedAt: moment, how: 'mirror', stored: true, lifetime, asOf }
  }

  /** Returns the answer as of the last followed update, however long ago that was. */
  known(question: Question, reach: LedgerReach): Answer | undefined {
    const following = this.#following
    if (following === undefined || following.trustDigest !== this.#deps.roster()?.trustDigest)
      return undefined
    const key = cacheKey('', question.read.id, question.params)
    const answer = this.#answers.find(key, question, { following, reach })
    if (answer === undefined || this.#newer.isBehind(key, answer, following.at)) return undefined
    return answer.kind === 'absence' && this.#deps.withholdsAbsence(key) ? undefined : answer
  }
}
