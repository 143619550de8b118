import type { Agreement } from '../cache/agreement.ts'
import { ageMs, type Moment } from '../lib/clock.ts'
import { instantKey } from '../reads/instant.ts'
import type { MirroredEntry } from '../reads/mirrored-entry.ts'
import type { Question } from '../reads/read.ts'
import type { UpdateItem } from '../reads/update-items.ts'
import type { AgreedSet } from './agreed-set.ts'
import { differenceOf, type SetDifference } from './compare-sets.ts'
import type { LedgerReach } from './ledger-time.ts'
import { type FoundNames, type NameChanges, NameState } from './name-state.ts'
import { type NameUpdate, readUpdate } from './name-update.ts'
import { gridAt, justBefore } from './snapshot-grid.ts'

export interface UpdatePage {
  readonly items: readonly UpdateItem[]
  readonly agreement: Agreement
  /** A full page has as many updates as were requested, so the ledger may have more. */
  readonly isFull: boolean
  readonly askedAt: Moment
}

export interface FollowedChange extends NameChanges {
  readonly at: string
}

export type FollowOutcome =
  /** `at` is the record time of the last update that was read. */
  | { readonly kind: 'followed'; readonly at: string; readonly changes: readonly FollowedChange[] }
  | { readonly kind: 'broken'; readonly why: string }

export type Reconciliation =
  | { readonly kind: 'equal' }
  | { readonly kind: 'different'; readonly difference: SetDifference }
  /**
   * No comparison was possible, for example because the followed updates have not passed the record
   * time of the snapshot.
   */
  | { readonly kind: 'skipped' }

/**
 * The names that the ledger had at the last followed update: the names of an agreed set, changed by
 * all agreed updates since (docs/mirror.md#level-stream).
 */
export class Following {
  #set: AgreedSet
  readonly #state: NameState
  #version = 0
  #at: string
  #agreement: Agreement
  #synchronizer: string | undefined
  /**
   * The entries at the record time of the latest snapshot that the updates have passed. `reconcile`
   * compares them with that snapshot.
   */
  #checkpoint: { readonly at: number; readonly entries: readonly MirroredEntry[] } | undefined
  #caughtUpAt: Moment | undefined

  private constructor(set: AgreedSet, state: NameState) {
    this.#set = set
    this.#state = state
    this.#at = justBefore(set.at)
    this.#agreement = set.agreement
  }

  static *of(set: AgreedSet): Generator<void, Following> {
    return new Following(set, yield* NameState.of(set))
  }

  get cursor(): { readonly migrationId: number; readonly at: string } {
    return { migrationId: this.#set.migrationId, at: this.#at }
  }

  get at(): number {
    return Math.max(this.#set.at, Date.parse(this.#at))
  }

  get dso(): string {
    return this.#set.dso
  }

  get trustDigest(): string {
    return this.#set.trustDigest
  }

  get agreement(): Agreement {
    return this.#agreement
  }

  get size(): number {
    return this.#state.size
  }

  entries(): readonly MirroredEntry[] {
    return this.#state.entries()
  }

  /**
   * The version grows with each update that changed names or super validators. Answers of an
   * earlier version are outdated.
   */
  get version(): number {
    return this.#version
  }

  /** Returns the time since the end of the updates was reached. */
  lagMs(at: Moment): number {
    return this.#caughtUpAt === undefined ? Number.POSITIVE_INFINITY : ageMs(this.#caughtUpAt, at)
  }

  find(question: Question, reach: LedgerReach): FoundNames | undefined {
    return this.#state.find(question, reach)
  }

  /**
   * Applies a page of updates. After the outcome `broken`, this object must not be used: a part of
   * the page may have been applied.
   */
  follow({ items, agreement, isFull, askedAt }: UpdatePage): FollowOutcome {
    const changes: FollowedChange[] = []
    for (const item of items) {
      const reading = readUpdate(item, {
        dso: this.#set.dso,
        migrationId: this.#set.migrationId,
        synchronizer: this.#synchronizer,
        holds: (contractId) => this.#state.has(contractId),
      })
      if (reading.kind === 'broken') return reading
      const { update, synchronizer } = reading
      if (instantKey(update.at) <= instantKey(this.#at))
        return { kind: 'broken', why: `An update of ${update.at} follows one of ${this.#at}.` }
      this.#checkpointBefore(update.at)
      this.#synchronizer ??= synchronizer
      const changed = this.#apply(update)
      if (changed !== undefined) changes.push({ at: update.at, ...changed })
      this.#at = update.at
    }
    if (items.length > 0 && !isAlike(agreement, this.#agreement)) this.#agreement = agreement
    if (!isFull) this.#caughtUpAt = askedAt
    return { kind: 'followed', at: this.#at, changes }
  }

  *reconcile(set: AgreedSet): Generator<void, Reconciliation> {
    if (this.#checkpoint?.at !== set.at) return { kind: 'skipped' }
    const difference = yield* differenceOf(this.#checkpoint.entries, set.entries)
    return difference === undefined ? { kind: 'equal' } : { kind: 'different', difference }
  }

  /**
   * Returns false if these names cannot be continued from a later set. The caller must then make a
   * new `Following` from the set.
   */
  continues(set: AgreedSet): boolean {
    if (set.trustDigest !== this.#set.trustDigest) return false
    return this.#checkpoint !== undefined && this.#checkpoint.at >= set.at
  }

  /**
   * Continues from a later set of names, without applying the updates after that set again.
   */
  rebase(set: AgreedSet): void {
    this.#set = set
  }

  /**
   * Makes the present entries the checkpoint if the update of record time `at` is the first one at
   * or after the record time of a snapshot. The snapshot lacks that update, so call this method
   * before each update is applied.
   */
  #checkpointBefore(at: string): void {
    const instant = gridAt(Date.parse(at))
    if (instant <= (this.#checkpoint?.at ?? this.#set.at)) return
    this.#checkpoint = { at: instant, entries: this.#state.entries() }
  }

  #apply(update: NameUpdate): NameChanges | undefined {
    const changes = this.#state.apply(update, Date.parse(update.at))
    const { renewed, added, expired, withdrawn } = changes
    const isChanged = renewed.length + added.length + expired.length + withdrawn.length > 0
    if (!isChanged && update.members === undefined) return undefined
    this.#version++
    return isChanged ? changes : undefined
  }
}

/**
 * Compares who agreed, the threshold and the protection. If these are equal, `follow` keeps the old
 * agreement object, because `StateAnswers` drops its answers when it gets a new one.
 */
function isAlike({ agreed, threshold, protected: isProtected }: Agreement, other: Agreement): boolean {
  if (threshold !== other.threshold || isProtected !== other.protected) return false
  return agreed.length === other.agreed.length && agreed.every((name, at) => name === other.agreed[at])
}
