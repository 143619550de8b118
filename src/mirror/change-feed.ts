import { canonicalInstant, isLater } from '../reads/instant.ts'
import type { AgreedSet } from './agreed-set.ts'
import { continuityOf, isContinuous } from './continuity.ts'
import type { FollowedChange } from './following.ts'
import type { MirroredEntry } from './mirrored-entry.ts'
import { justBefore } from './snapshot-grid.ts'

/**
 * A position in the feed, between two changes, from which a reader can continue. The `place` of a change is the
 * position right after that change.
 */
export interface FeedPlace {
  /** A record time, in its canonical form (`canonicalInstant`). */
  readonly at: string
  /** The number of changes with this record time that are before the place. Infinity stands for all of them. */
  readonly count: number
}

/** The change of one name by an update, or by the difference of two sets (`ChangeFeed.take`). */
export interface FedChange {
  readonly kind: 'created' | 'renewed' | 'expired' | 'withdrawn'
  readonly entry: MirroredEntry
  /** The entry before a renewal; absent for other changes. */
  readonly was?: MirroredEntry
  readonly place: FeedPlace
}

const mostChanges = 10_000
const mostJumps = 100

/** Two places between which the feed lacks single changes, and has only the differences between two sets of names. */
interface FeedJump {
  readonly from: FeedPlace
  readonly to: FeedPlace
}

const placePattern = /^([^/]{1,64})(?:\/([1-9]\d{0,5}))?$/

/**
 * Parses a place. `2026-01-01T00:00:00.5Z` is the place after all changes of that time, and `2026-01-01T00:00:00.5Z/2`
 * is the place after the second one.
 * @returns undefined if the text is no place.
 */
export function placeIn(text: string): FeedPlace | undefined {
  const [, time = '', count] = placePattern.exec(text) ?? []
  const at = canonicalInstant(time)
  return at === undefined ? undefined : { at, count: Number(count ?? Number.POSITIVE_INFINITY) }
}

export function placeText({ at, count }: FeedPlace): string {
  return Number.isFinite(count) ? `${at}/${count}` : at
}

function wholeOf(at: string): FeedPlace {
  return { at, count: Number.POSITIVE_INFINITY }
}

export function isLaterPlace(one: FeedPlace, other: FeedPlace): boolean {
  return one.at === other.at ? one.count > other.count : isLater(one.at, other.at)
}

/**
 * The latest changes of names, in the order of the ledger. After the place `#since`, no change is missing, except those
 * that a jump sums up (`FeedJump`).
 */
export class ChangeFeed {
  readonly #most: number
  readonly #runs: (() => void)[] = []
  #changes: FedChange[] = []
  #jumps: FeedJump[] = []
  #since: FeedPlace | undefined
  #end: FeedPlace | undefined

  /** @param most how many changes are kept at most. */
  constructor(most = mostChanges) {
    this.#most = most
  }

  /** The place up to which updates were followed. Undefined before the first set. */
  get end(): FeedPlace | undefined {
    return this.#end
  }

  /** Calls `run` after each set and each page of updates, which may have added and dropped changes. */
  onMove(run: () => void): void {
    this.#runs.push(run)
  }

  /**
   * Continues the feed from a set that the mirror took. If the feed ends before the set, and almost all entries of
   * `former` are still in the set (`isContinuous`), the feed gets the differences as changes at `justBefore(set.at)`,
   * because a set contains only what happened before its instant. Otherwise the feed starts anew.
   * @param former the entries that were known before the set; absent if they are not known.
   */
  take(set: AgreedSet, former?: readonly MirroredEntry[]): void {
    const from = this.#end
    const to = wholeOf(justBefore(set.at))
    const continuity = former && continuityOf(former, set.entries, set.at)
    if (
      continuity !== undefined &&
      isContinuous(continuity) &&
      from !== undefined &&
      isLaterPlace(to, from)
    ) {
      this.#jumps.push({ from, to })
      return this.follow([{ at: to.at, ...continuity }], to.at)
    }
    this.#beginAt(to)
    this.#moveTo(to)
  }

  /**
   * Adds the changes of a page of updates.
   * @param at the record time of the last update, in its canonical form.
   */
  follow(changes: readonly FollowedChange[], at: string): void {
    if (changes.length > 0) this.#changes = this.#changes.concat(changes.flatMap(fedChanges))
    this.#drop()
    this.#moveTo(wholeOf(at))
  }

  /** Drops all changes, because a snapshot contradicted the updates from which they come. */
  forget(): void {
    if (this.#end !== undefined) this.#beginAt(this.#end)
  }

  /**
   * Returns the place itself if the feed has all changes after it. Otherwise, it returns a later place after which the
   * feed has all changes. Undefined before the first set.
   *
   * A reader may come with a place after the end of the feed: it got the place from another daemon, or from this daemon
   * before a restart. If the feed later jumps over that place, the reader already has some of the changes that the jump
   * adds. The reader must then continue at the end of the jump.
   */
  resumable(place: FeedPlace): FeedPlace | undefined {
    if (this.#since === undefined || isLaterPlace(this.#since, place)) return this.#since
    const over = this.#jumps.find(({ from, to }) => isLaterPlace(place, from) && isLater(to.at, place.at))
    return over?.to ?? place
  }

  /**
   * Returns the first changes after a place.
   * @param most how many changes to return at most.
   * @returns undefined if the feed may lack changes after the place.
   */
  after(place: FeedPlace, most: number): readonly FedChange[] | undefined {
    if (this.resumable(place) !== place) return undefined
    const from = this.#firstAfter(place)
    return this.#changes.slice(from, from + most)
  }

  #firstAfter(place: FeedPlace): number {
    let low = 0
    let high = this.#changes.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (isLaterPlace((this.#changes[middle] as FedChange).place, place)) high = middle
      else low = middle + 1
    }
    return low
  }

  #drop(): void {
    const tooMany = this.#changes.length - this.#most
    if (tooMany > 0) this.#forgetUntil((this.#changes[tooMany - 1] as FedChange).place)
    if (this.#jumps.length > mostJumps) this.#forgetUntil((this.#jumps[0] as FeedJump).to)
  }

  #forgetUntil(place: FeedPlace): void {
    this.#changes.splice(0, this.#firstAfter(place))
    this.#jumps = this.#jumps.filter(({ to }) => isLaterPlace(to, place))
    this.#since = place
  }

  #beginAt(place: FeedPlace): void {
    this.#changes = []
    this.#jumps = []
    this.#since = place
  }

  #moveTo(place: FeedPlace): void {
    this.#end = place
    for (const run of this.#runs) run()
  }
}

/**
 * Returns the changes of one update in order. Removals come before additions. If an update replaces the entry of a
 * name, a reader that keeps one entry for each name thus keeps the new entry. Within each kind, changes are sorted by
 * contract id, so that all daemons give a change the same number.
 */
function fedChanges({ at, withdrawn, expired, renewed, added }: FollowedChange): FedChange[] {
  const changes: Omit<FedChange, 'place'>[] = [
    ...inOrder(withdrawn.map((entry) => ({ kind: 'withdrawn' as const, entry }))),
    ...inOrder(expired.map((entry) => ({ kind: 'expired' as const, entry }))),
    ...inOrder(renewed.map(({ from: was, to: entry }) => ({ kind: 'renewed' as const, entry, was }))),
    ...inOrder(added.map((entry) => ({ kind: 'created' as const, entry }))),
  ]
  const placeOf = (index: number) => ({
    at,
    count: index + 1 === changes.length ? Number.POSITIVE_INFINITY : index + 1,
  })
  return changes.map((change, index) => ({ ...change, place: placeOf(index) }))
}

function inOrder<Change extends { readonly entry: MirroredEntry }>(
  changes: readonly Change[],
): readonly Change[] {
  return changes.toSorted((a, b) => (a.entry.contract_id < b.entry.contract_id ? -1 : 1))
}
