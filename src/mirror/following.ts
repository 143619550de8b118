import type { Agreement } from '../cache/agreement.ts'
import type { Moment } from '../lib/clock.ts'
import { instantKey } from '../reads/instant.ts'
import type { Question } from '../reads/read.ts'
import type { AgreedSet } from './agreed-set.ts'
import { differenceOf, type SetDifference } from './compare-sets.ts'
import type { LedgerReach } from './ledger-time.ts'
import type { MirroredEntry } from './mirrored-entry.ts'
import { type FoundNames, type NameChanges, NameState } from './name-state.ts'
import { type NameUpdate, readUpdate, type UpdateItem } from './name-update.ts'
import { gridAt, justBefore } from './snapshot-grid.ts'

/**
 * Consecutive updates of the ledger that the mirror has read and applied: all updates after an agreed set of
 * names, or the updates of one page.
 */
export interface Followed {
  /**
   * The record time after which these updates begin, in its canonical form (`canonicalInstant`). It is the
   * record time of the last update before them. If they are the first updates after a set of names, it is a
   * microsecond before the record time of the set (`justBefore`).
   */
  readonly after: string
  /**
   * The record time of the last update that was read, in its canonical form. That update need not be in
   * `updates`. If no update was read, this is equal to `after`.
   */
  readonly at: string
  /** The id of the updates' synchronizer; undefined before the first update. */
  readonly synchronizer: string | undefined
  /**
   * The agreement on the last page that had updates. Before the first such page, the agreement on the set of
   * names.
   */
  readonly agreement: Agreement
  /** Only the updates that changed names or super validators, in the order of the ledger. */
  readonly updates: readonly NameUpdate[]
}

/** A page of updates that a quorum agreed on. */
export interface UpdatePage {
  readonly items: readonly UpdateItem[]
  readonly agreement: Agreement
  /**
   * Whether the page has as many updates as were requested. If so, the ledger may already have more updates.
   */
  readonly isFull: boolean
  /** The value of `Clock.now()` just before the page was requested. */
  readonly askedAt: number
}

/** The names that one update changed, and its record time. */
export interface FollowedChange extends NameChanges {
  /** The record time of the update, in its canonical form (`canonicalInstant`). */
  readonly at: string
}

/**
 * The result of applying a page: the updates and changes of the page. If updates cannot be followed any
 * further, the result is a sentence that says why.
 */
export type FollowOutcome =
  | { readonly kind: 'followed'; readonly step: Followed; readonly changes: readonly FollowedChange[] }
  | { readonly kind: 'broken'; readonly why: string }

/** The result of comparing a drained set of names with the followed names of the same record time. */
export type Reconciliation =
  | { readonly kind: 'equal' }
  | { readonly kind: 'different'; readonly difference: SetDifference }
  /**
   * Nothing was compared, for one of these reasons:
   * - No updates are followed.
   * - The followed names at the record time of the drained set are not known.
   * - The roster does not support the set from which updates are followed.
   */
  | { readonly kind: 'skipped' }

/**
 * The names that the ledger had at the last followed update: the names of an agreed set, changed by all
 * agreed updates after that set (docs/mirror.md#level-stream).
 */
export class Following {
  #set: AgreedSet
  readonly #state: NameState
  #updates: NameUpdate[] = []
  #version = 0
  #at: string
  #agreement: Agreement
  #synchronizer: string | undefined
  /**
   * The followed entries at the record time of the latest snapshot that the updates have passed. `reconcile`
   * compares them with that snapshot.
   */
  #checkpoint: { readonly at: number; readonly entries: readonly MirroredEntry[] } | undefined
  #caughtUpAt: number | undefined

  constructor(set: AgreedSet) {
    this.#set = set
    this.#state = new NameState(set.dso, set.entries, set.members)
    this.#at = justBefore(set.at)
    this.#agreement = set.agreement
  }

  /**
   * Restores the followed names after a restart, from a stored set of names and the stored updates after that
   * set.
   * @param changed called with the changes of names by each update, in the order of the updates.
   */
  static restored(
    set: AgreedSet,
    { at, synchronizer, agreement, updates }: Followed,
    changed: (change: FollowedChange) => void = () => {},
  ): Following {
    const following = new Following(set)
    for (const update of updates) {
      following.#pass(update.at)
      const changes = following.#apply(update)
      if (changes !== undefined) changed({ at: update.at, ...changes })
    }
    following.#pass(at)
    following.#at = at
    following.#synchronizer = synchronizer
    following.#agreement = agreement
    return following
  }

  /** The migration and record time of the last followed update. The next page begins after that update. */
  get cursor(): { readonly migrationId: number; readonly at: string } {
    return { migrationId: this.#set.migrationId, at: this.#at }
  }

  /**
   * The record time of the last followed update, or of the set of names if that is later: milliseconds since
   * 1970.
   */
  get at(): number {
    return Math.max(this.#set.at, Date.parse(this.#at))
  }

  /** The trust digest under which the set of names was agreed. Pages of updates are agreed under it, too. */
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
   * The number of updates that changed names or super validators. When it grows, earlier answers are
   * outdated.
   */
  get version(): number {
    return this.#version
  }

  /** All updates since the set of names, for the store. */
  get followed(): Followed {
    return this.#step(justBefore(this.#set.at), [...this.#updates])
  }

  /**
   * Returns how long ago a page of updates last reached the end of the ledger's updates, in milliseconds.
   * Infinity if no page reached the end yet.
   */
  lagMs({ now }: Pick<Moment, 'now'>): number {
    return this.#caughtUpAt === undefined ? Number.POSITIVE_INFINITY : now - this.#caughtUpAt
  }

  find(question: Question, reach: LedgerReach): FoundNames | undefined {
    return this.#state.find(question, reach)
  }

  /**
   * Applies a page of updates. After the outcome `broken`, this object must not be used any more, because a
   * part of the page may have been applied.
   */
  follow({ items, agreement, isFull, askedAt }: UpdatePage): FollowOutcome {
    const changes: FollowedChange[] = []
    const from = this.#updates.length
    const after = this.#at
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
      this.#pass(update.at)
      this.#synchronizer ??= synchronizer
      const changed = this.#apply(update)
      if (changed !== undefined) changes.push({ at: update.at, ...changed })
      this.#at = update.at
    }
    if (items.length > 0 && !isAlike(agreement, this.#agreement)) this.#agreement = agreement
    if (!isFull) this.#caughtUpAt = askedAt
    return { kind: 'followed', step: this.#step(after, this.#updates.slice(from)), changes }
  }

  /** Compares the entries of a drained set with the followed names at the record time of that set. */
  reconcile(set: AgreedSet): Reconciliation {
    if (this.#checkpoint?.at !== set.at) return { kind: 'skipped' }
    const difference = differenceOf(this.#checkpoint.entries, set.entries)
    return difference === undefined ? { kind: 'equal' } : { kind: 'different', difference }
  }

  /**
   * Replaces the set of names by a later one, and drops the updates before the later set. The followed names
   * stay as they are. Changes nothing if the followed updates do not reach the later set, or if that set has
   * another trust digest. The caller must then make a new `Following` from that set.
   * @returns whether the set was replaced.
   */
  rebase(set: AgreedSet): boolean {
    if (set.trustDigest !== this.#set.trustDigest) return false
    if (this.#checkpoint === undefined || this.#checkpoint.at < set.at) return false
    this.#updates = this.#updates.filter(({ at }) => Date.parse(at) >= set.at)
    this.#set = set
    return true
  }

  /**
   * Must be called with the record time of each update, before the update is applied. If the update is the
   * first one at or after the record time of a snapshot, the present entries become the checkpoint. The
   * snapshot has only the earlier updates.
   */
  #pass(at: string): void {
    const instant = gridAt(Date.parse(at))
    if (instant <= (this.#checkpoint?.at ?? this.#set.at)) return
    this.#checkpoint = { at: instant, entries: this.#state.entries() }
  }

  #apply(update: NameUpdate): NameChanges | undefined {
    const changes = this.#state.apply(update, Date.parse(update.at))
    const { renewed, added, expired, withdrawn } = changes
    const isChanged = renewed.length + added.length + expired.length + withdrawn.length > 0
    if (!isChanged && update.members === undefined) return undefined
    const archived = [...renewed.map(({ from }) => from), ...expired, ...withdrawn].map(
      ({ contract_id }) => contract_id,
    )
    const created = [...renewed.map(({ to }) => to), ...added]
    this.#updates.push({ ...update, archived, created })
    this.#version++
    return isChanged ? changes : undefined
  }

  #step(after: string, updates: readonly NameUpdate[]): Followed {
    return {
      after,
      at: this.#at,
      synchronizer: this.#synchronizer,
      agreement: this.#agreement,
      updates,
    }
  }
}

/**
 * Whether two agreements have the same super validators, threshold and `protected`. If so, `follow` keeps the
 * old object, because `StateAnswers` drops its answers when it gets a new object.
 */
function isAlike({ agreed, threshold, protected: isProtected }: Agreement, other: Agreement): boolean {
  if (threshold !== other.threshold || isProtected !== other.protected) return false
  return agreed.length === other.agreed.length && agreed.every((name, at) => name === other.agreed[at])
}
