import { ageMs, type Moment } from '../base/lib/clock.ts'
import type { Agreement } from '../core/cache/agreement.ts'
import { instantKey } from '../core/reads/instant.ts'
import type { AgreedSet } from './agreed-set.ts'
import { continuityIn } from './continuity.ts'
import type { MirroredEntry } from './mirrored-contracts.ts'
import { type NameChanges, NameState } from './name-state.ts'
import { type NameUpdate, readUpdate } from './name-update.ts'
import { gridAt, justBefore } from './snapshot-grid.ts'
import type { UpdateItem } from './update-items.ts'

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

export interface SetDifference {
  /** These entries are missing or different in the snapshot. */
  readonly followed: readonly MirroredEntry[]
  readonly drained: readonly MirroredEntry[]
}

export type Reconciliation =
  | { readonly kind: 'equal' }
  | { readonly kind: 'different'; readonly difference: SetDifference }
  /**
   * No comparison was possible, for example because the followed updates have not passed the record
   * time of the snapshot.
   */
  | { readonly kind: 'skipped' }

/**
 * The names that the ledger had at one record time: the names of an agreed set, changed by all agreed
 * updates since, if there is a level `stream` that follows them (docs/build/mirror-rules.md#level-stream).
 */
export class LedgerNames {
  #set: AgreedSet
  readonly index: NameState
  /** The record time of the last update that changed a name since the set, in milliseconds since 1970. */
  readonly #changedAt = new Map<string, number>()
  #at: string
  #reached: number
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
    this.index = state
    this.#at = justBefore(set.at)
    this.#reached = set.at
    this.#agreement = set.agreement
  }

  static *of(set: AgreedSet): Generator<void, LedgerNames> {
    return new LedgerNames(set, yield* NameState.of(set))
  }

  get set(): AgreedSet {
    return this.#set
  }

  get cursor(): { readonly migrationId: number; readonly at: string } {
    return { migrationId: this.#set.migrationId, at: this.#at }
  }

  get at(): number {
    return this.#reached
  }

  /** The super validators that agreed on the last page of updates, or on the set. */
  get agreement(): Agreement {
    return this.#agreement
  }

  /** Whether an update since the set created or archived an entry of the name. */
  isChanged(name: string): boolean {
    return this.#changedAt.size > 0 && this.#changedAt.has(name)
  }

  /** Returns the time since the end of the updates was reached. */
  lagMs(at: Moment): number {
    return this.#caughtUpAt === undefined ? Number.POSITIVE_INFINITY : ageMs(this.#caughtUpAt, at)
  }

  /**
   * Applies a page of updates. With the outcome `broken`, the names are those before the update that
   * cannot be followed, and no further page may be applied.
   */
  follow({ items, agreement, isFull, askedAt }: UpdatePage): FollowOutcome {
    const changes: FollowedChange[] = []
    if (items.length > 0 && !isAlike(agreement, this.#agreement))
      this.#agreement = { ...agreement, complete: true }
    for (const item of items) {
      const reading = readUpdate(item, {
        dso: this.#set.dso,
        migrationId: this.#set.migrationId,
        synchronizer: this.#synchronizer,
        holds: (contractId) => this.index.has(contractId),
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
      this.#reached = Math.max(this.#reached, Date.parse(update.at))
    }
    if (!isFull) this.#caughtUpAt = askedAt
    return { kind: 'followed', at: this.#at, changes }
  }

  *reconcile(set: AgreedSet): Generator<void, Reconciliation> {
    if (this.#checkpoint?.at !== set.at) return { kind: 'skipped' }
    const { entries, at } = this.#checkpoint
    const { renewed, added, expired, withdrawn } = yield* continuityIn(entries, set.entries, at)
    const followed = [...renewed.map(({ from }) => from), ...expired, ...withdrawn]
    const drained = [...renewed.map(({ to }) => to), ...added]
    if (followed.length + drained.length === 0) return { kind: 'equal' }
    return { kind: 'different', difference: { followed, drained } }
  }

  /** Returns false if these names cannot be continued from a later set. */
  continues(set: AgreedSet): boolean {
    if (set.trustDigest !== this.#set.trustDigest) return false
    return this.#checkpoint !== undefined && this.#checkpoint.at >= set.at
  }

  /**
   * Continues from a later set of names, without applying the updates after that set again.
   */
  rebase(set: AgreedSet): void {
    this.#set = set
    for (const [name, at] of this.#changedAt) if (at < set.at) this.#changedAt.delete(name)
  }

  /**
   * Makes the present entries the checkpoint if the update of record time `at` is the first one at
   * or after the record time of a snapshot. The snapshot lacks that update, so call this method
   * before each update is applied.
   */
  #checkpointBefore(at: string): void {
    const instant = gridAt(Date.parse(at))
    if (instant <= (this.#checkpoint?.at ?? this.#set.at)) return
    this.#checkpoint = { at: instant, entries: this.index.entries() }
  }

  #apply(update: NameUpdate): NameChanges | undefined {
    const at = Date.parse(update.at)
    const changes = this.index.apply(update, at)
    const { renewed, added, expired, withdrawn } = changes
    const changed = [...renewed.map(({ to }) => to), ...added, ...expired, ...withdrawn]
    for (const { name } of changed) this.#changedAt.set(name, at)
    return changed.length > 0 ? changes : undefined
  }
}

/**
 * Compares who agreed, the threshold and the protection. If these are equal, `follow` keeps the old
 * agreement object, because `NameAnswers` drops its answers when it gets a new one.
 */
function isAlike({ agreed, threshold, protected: isProtected }: Agreement, other: Agreement): boolean {
  if (threshold !== other.threshold || isProtected !== other.protected) return false
  return agreed.length === other.agreed.length && agreed.every((name, at) => name === other.agreed[at])
}
