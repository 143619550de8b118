import { LRUCache } from 'lru-cache'
import { type Clock, type Moment, momentOf } from '../base/lib/clock.ts'
import type { MirrorTelemetry } from '../base/telemetry/mirror-events.ts'
import type { Answer } from '../core/cache/answer.ts'
import type { InvalidationLog } from '../core/cache/invalidation-log.ts'
import { cacheKey } from '../core/cache/key.ts'
import type { Question } from '../core/reads/read.ts'
import type { Roster } from '../core/scan/roster.ts'
import type { AgreedSet } from './agreed-set.ts'
import type { ChangeFeed } from './change-feed.ts'
import { continuityIn } from './continuity.ts'
import { type Degradation, sentenceOf } from './degradation.ts'
import type { LedgerNames, Reconciliation, UpdatePage } from './ledger-names.ts'

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

export interface StreamLevelDeps {
  readonly clock: Clock
  readonly roster: () => Roster | undefined
  readonly feed: ChangeFeed
  readonly invalidations: Pick<InvalidationLog, 'withholdsAbsence'>
  readonly telemetry: Pick<MirrorTelemetry, 'followed' | 'unfollowed'>
}

const mostNewer = 10_000

/**
 * Follows the updates of the ledger, and says whether the mirror may answer with the names of the
 * last followed update (docs/build/mirror-rules.md#level-stream).
 */
export class StreamLevel {
  readonly #maxLagMs: number
  readonly #deps: StreamLevelDeps
  /**
   * Answers of super validators where the mirror would answer otherwise, by cache key. They may be
   * newer than the mirror's names.
   */
  readonly #newer = new LRUCache<string, { readonly digest: string; readonly agreedAt: number }>({
    max: mostNewer,
  })
  #following: LedgerNames | undefined
  #head = Number.NEGATIVE_INFINITY
  #ended = 'No snapshot is agreed yet.'
  #told: StreamDegradation['kind'] | 'served' = 'not-following'

  constructor(maxLagMs: number, deps: StreamLevelDeps) {
    this.#maxLagMs = maxLagMs
    this.#deps = deps
  }

  get following(): LedgerNames | undefined {
    return this.#following
  }

  /** The followed names, if the present roster agreed on them. They may be of long ago. */
  get agreedNames(): LedgerNames | undefined {
    const following = this.#following
    return following?.set.trustDigest === this.#deps.roster()?.trustDigest ? following : undefined
  }

  degradation(moment: Moment): StreamDegradation | undefined {
    if (this.#following === undefined) return { kind: 'not-following', why: this.#ended }
    if (this.agreedNames === undefined) return { kind: 'roster' }
    const lagMs = this.lagMs(moment)
    if (lagMs <= this.#maxLagMs) return undefined
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

  restore(names: LedgerNames): void {
    this.#deps.feed.take(names.set)
    this.#following = names
  }

  /** Returns the followed names if they can be continued from a later set. */
  continuing(set: AgreedSet): LedgerNames | undefined {
    return this.#following?.continues(set) ? this.#following : undefined
  }

  /**
   * Prepares to follow the updates after a set, and returns a function that begins it. The caller must
   * let no page be followed meanwhile.
   */
  *beginning(set: AgreedSet, names: LedgerNames): Generator<void, () => void> {
    const former = this.#following
    const continuity = former && (yield* continuityIn(former.index.entries(), set.entries, set.at))
    return () => {
      if (former?.set.dso !== set.dso) this.#head = Number.NEGATIVE_INFINITY
      this.#deps.feed.take(set, this.#following === former ? continuity : undefined)
      this.#following = names
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

  /** Ends the streams of changes to readers, because the mirror serves nothing. */
  interrupt(why: Degradation): void {
    const { feed } = this.#deps
    if (why.kind === 'unreconciled') feed.forget()
    feed.interrupt(sentenceOf(why))
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
    const { feed, telemetry } = this.#deps
    if (why === undefined) return telemetry.followed()
    telemetry.unfollowed(streamSentence(why))
    feed.interrupt(streamSentence(why))
  }

  /**
   * Takes note of an answer that super validators gave. If this level would answer otherwise, it
   * leaves the question to them until it has followed later updates.
   * @param own the answer of this level.
   * @param agreedAt milliseconds since 1970, by a clock that never goes back.
   */
  heard(question: Question, live: Answer, own: Answer | undefined, agreedAt: number): void {
    const key = keyOf(question)
    if (live.digest === own?.digest) this.#newer.delete(key)
    else this.#newer.set(key, { digest: live.digest, agreedAt })
  }

  /**
   * Whether super validators answer this question instead: they gave another answer and no later
   * update was followed since, or the name has just changed.
   */
  withholds(question: Question, own: Answer): boolean {
    if (this.#newer.size > 0 && this.#isBehind(keyOf(question), own)) return true
    return own.kind === 'absence' && this.#deps.invalidations.withholdsAbsence(keyOf(question))
  }

  #isBehind(key: string, own: Answer): boolean {
    const newer = this.#newer.get(key)
    if (newer === undefined) return false
    const at = this.#following?.at ?? Number.NEGATIVE_INFINITY
    if (newer.digest !== own.digest && at <= newer.agreedAt) return true
    this.#newer.delete(key)
    return false
  }
}

function keyOf({ read, params }: Question): string {
  return cacheKey('', read.id, params)
}
