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

/** The reason why the mirror does not answer with the state of the ledger. */
export type StateDegradation =
  /** No set is taken yet, or none since updates could not be followed any further. `why` is a sentence. */
  | { readonly kind: 'not-following'; readonly why: string }
  | { readonly kind: 'roster' }
  /**
   * The end of the updates was last reached more than `maxLagMs` ago: `seconds` ago. `seconds` is undefined until it
   * was reached for the first time.
   */
  | { readonly kind: 'lag'; readonly seconds: number | undefined }

/** Returns the sentence for `/status` and the log. */
export function stateSentence(degradation: StateDegradation): string {
  switch (degradation.kind) {
    case 'not-following':
      return degradation.why
    case 'roster':
      return 'The roster or its thresholds changed, so updates are followed from the next snapshot on.'
    case 'lag':
      return degradation.seconds === undefined
        ? 'The updates since the snapshot are still being read.'
        : `The last update is ${degradation.seconds} s behind the ledger, more than mirror.maxLag.`
  }
}

export interface StateLevelOptions {
  /** The state is not served if the end of the updates was last reached more than this ago. */
  readonly maxLagMs: number
  /** The cache times of values and absences, by read id. */
  readonly times: Readonly<Record<string, { readonly value: Lifetime; readonly absence: Lifetime }>>
}

export interface StateLevelDeps {
  readonly clock: Clock
  readonly roster: () => Roster | undefined
  /** Hears every change of names. */
  readonly feed: ChangeFeed
  /**
   * Whether no absence may be served under this cache key, because this daemon heard seconds ago that the name changed.
   */
  readonly withholdsAbsence: (key: string) => boolean
  /** Called when the state begins to be served. */
  readonly followed: () => void
  readonly unfollowed: (why: StateDegradation) => void
}

/** The time at which a question is asked, and the age that its answer may have. */
export interface StateMoment {
  readonly moment: Moment
  readonly reach: LedgerReach
  /** The answer must be true at this time or later: milliseconds since 1970. */
  readonly notBefore: number | undefined
  readonly generation: number
}

/** Answers from the state of the ledger, while its updates are followed (docs/mirror.md#level-stream). */
export class StateLevel {
  readonly #options: StateLevelOptions
  readonly #deps: StateLevelDeps
  readonly #answers = new StateAnswers()
  readonly #newer = new NewerAnswers()
  #following: Following | undefined
  #ended = 'No snapshot is agreed yet.'
  #told: StateDegradation['kind'] | 'served' = 'not-following'

  constructor(options: StateLevelOptions, deps: StateLevelDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** The followed state; undefined while updates cannot be followed. */
  get following(): Following | undefined {
    return this.#following
  }

  /** Returns the reason why nothing is answered; undefined while the state is served. */
  degradation(moment: Pick<Moment, 'now'>): StateDegradation | undefined {
    const following = this.#following
    if (following === undefined) return { kind: 'not-following', why: this.#ended }
    if (following.trustDigest !== this.#deps.roster()?.trustDigest) return { kind: 'roster' }
    const lagMs = following.lagMs(moment)
    if (lagMs <= this.#options.maxLagMs) return undefined
    return { kind: 'lag', seconds: Number.isFinite(lagMs) ? Math.round(lagMs / 1000) : undefined }
  }

  /** Goes on from what was followed before a restart. */
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

  /** Goes on from a set that the mirror took. Returns the updates that were followed since the set. */
  take(set: AgreedSet): Followed {
    if (this.#following === undefined || !this.#following.rebase(set)) {
      this.#deps.feed.take(set, this.#following?.entries())
      this.#following = new Following(set)
    }
    return this.#following.followed
  }

  /** Goes on by a page of updates. Returns what must be kept; undefined if updates cannot be followed any further. */
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

  /** Forgets the state. `why` is a sentence. */
  end(why: string): void {
    this.#following = undefined
    this.#ended = why
  }

  /** Reports a change between serving the state and not serving it. */
  tell(): void {
    const why = this.degradation({ now: this.#deps.clock.now() })
    const kind = why?.kind ?? 'served'
    if (kind === this.#told) return
    this.#told = kind
    if (why === undefined) this.#deps.followed()
    else this.#deps.unfollowed(why)
  }

  /** Receives every answer that a quorum gave to a live read. Where the state is older, it is not served. */
  heard(question: Question, live: Answer, reach: LedgerReach): void {
    const following = this.#following
    if (following === undefined) return
    const key = cacheKey('', question.read.id, question.params)
    const own = this.#answers.find(key, question, { following, reach })
    // Unlike the own clock, this time is never set back.
    this.#newer.heard(key, live, { own, agreedAt: reach.reached })
  }

  /** Answers a question from the state. Returns undefined if super validators must be asked. */
  find(question: Question, { moment, reach, notBefore, generation }: StateMoment): Served | undefined {
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
