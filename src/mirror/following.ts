import type { Agreement } from '../cache/agreement.ts'
import type { Moment } from '../lib/clock.ts'
import { instantKey } from '../reads/instant.ts'
import type { Question } from '../reads/read.ts'
import type { AgreedSet } from './agreed-set.ts'
import { differenceOf, type SetDifference } from './compare-sets.ts'
import type { MirroredEntry } from './entry.ts'
import { gridAt, justBefore } from './grid.ts'
import type { LedgerReach } from './ledger-time.ts'
import { type FoundNames, type NameChanges, NameState } from './name-state.ts'
import { type NameUpdate, readUpdate, type UpdateItem } from './name-update.ts'

/**
 * Consecutive updates of the ledger that were followed after an agreed set: all of them, or those that one page added.
 */
export interface Followed {
  /** The record time of the last update before these, in its canonical form; just before the set if there was none. */
  readonly after: string
  /** The record time of the last update, in its canonical form. The state is that of this time. */
  readonly at: string
  /** The id of the updates' synchronizer; undefined until an update was read. */
  readonly synchronizer: string | undefined
  /** The agreement on the last page that had updates, or on the set if there was no such page yet. */
  readonly agreement: Agreement
  /** The updates that changed names or super validators, in their order. */
  readonly updates: readonly NameUpdate[]
}

/** A page of updates that a quorum agreed on. */
export interface UpdatePage {
  readonly items: readonly UpdateItem[]
  readonly agreement: Agreement
  /** Whether more updates may follow at once. */
  readonly isFull: boolean
  /** The value of `Clock.now()` before the page was asked for. */
  readonly askedAt: number
}

/** Names that one update changed. */
export interface FollowedChange extends NameChanges {
  /** The record time of the update, in its canonical form. */
  readonly at: string
}

/** The updates that a page added, or the sentence that says why they cannot be followed any further. */
export type FollowOutcome =
  | { readonly kind: 'followed'; readonly step: Followed; readonly changes: readonly FollowedChange[] }
  | { readonly kind: 'broken'; readonly why: string }

/**
 * The result of comparing the names to which the updates led at a grid instant with the set drained for that instant.
 */
export type Reconciliation =
  | { readonly kind: 'equal' }
  | { readonly kind: 'different'; readonly difference: SetDifference }
  /** The updates were not followed as far as the instant, or the names of the instant are no longer known. */
  | { readonly kind: 'skipped' }

/**
 * The names of the ledger at the last update that was followed, from an agreed set and the agreed updates after it
 * (docs/mirror.md#level-stream).
 */
export class Following {
  #set: AgreedSet
  readonly #state: NameState
  #updates: NameUpdate[] = []
  #version = 0
  #at: string
  #agreement: Agreement
  #synchronizer: string | undefined
  /** The entries at the last grid instant that was passed. */
  #checkpoint: { readonly at: number; readonly entries: readonly MirroredEntry[] } | undefined
  #caughtUpAt: number | undefined

  constructor(set: AgreedSet) {
    this.#set = set
    this.#state = new NameState(set.dso, set.entries, set.members)
    this.#at = justBefore(set.at)
    this.#agreement = set.agreement
  }

  /**
   * Restores the state from a set and the updates that were followed after it before a restart.
   * @param changed is called with each change of names, in the order of the updates.
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

  /** The record time of the last update, in its canonical form. The next page begins after it. */
  get cursor(): { readonly migrationId: number; readonly at: string } {
    return { migrationId: this.#set.migrationId, at: this.#at }
  }

  /** The record time of the state: milliseconds since 1970. */
  get at(): number {
    return Math.max(this.#set.at, Date.parse(this.#at))
  }

  /** The roster and the thresholds under which the set was agreed. All pages are agreed under the same. */
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

  /** A number that grows with each update that changes names or super validators. */
  get version(): number {
    return this.#version
  }

  /** All updates that were followed since the set. */
  get followed(): Followed {
    return this.#step(justBefore(this.#set.at), [...this.#updates])
  }

  /** Returns the milliseconds since the end of the updates was reached; infinity if it never was. */
  lagMs({ now }: Pick<Moment, 'now'>): number {
    return this.#caughtUpAt === undefined ? Number.POSITIVE_INFINITY : now - this.#caughtUpAt
  }

  find(question: Question, reach: LedgerReach): FoundNames | undefined {
    return this.#state.find(question, reach)
  }

  /** Applies a page of updates. After the outcome `broken` the state must not be used any more. */
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

  /** Compares the state at the instant of a set with the set. */
  reconcile(set: AgreedSet): Reconciliation {
    if (this.#checkpoint?.at !== set.at) return { kind: 'skipped' }
    const difference = differenceOf(this.#checkpoint.entries, set.entries)
    return difference === undefined ? { kind: 'equal' } : { kind: 'different', difference }
  }

  /**
   * Goes on from a later set, and forgets the updates before it. Returns false, and changes nothing, if the updates
   * were not followed as far as the set, or were agreed under another roster: then a new state must begin with it.
   */
  rebase(set: AgreedSet): boolean {
    if (set.trustDigest !== this.#set.trustDigest) return false
    if (this.#checkpoint === undefined || this.#checkpoint.at < set.at) return false
    this.#updates = this.#updates.filter(({ at }) => Date.parse(at) >= set.at)
    this.#set = set
    return true
  }

  /**
   * Remembers the entries of a grid instant before the first update at or after it: a snapshot has the updates before
   * it.
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

/** Whether two agreements are equal. If so, the old object stays in use, because remembered answers depend on it. */
function isAlike({ agreed, threshold, protected: isProtected }: Agreement, other: Agreement): boolean {
  if (threshold !== other.threshold || isProtected !== other.protected) return false
  return agreed.length === other.agreed.length && agreed.every((name, at) => name === other.agreed[at])
}
