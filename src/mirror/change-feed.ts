import { firstIndex } from '../lib/first-index.ts'
import { canonicalInstant, isLater } from '../reads/instant.ts'
import type { AgreedSet } from './agreed-set.ts'
import { continuityOf, isContinuous } from './continuity.ts'
import type { FollowedChange } from './following.ts'
import type { MirroredEntry } from './mirrored-entry.ts'
import { justBefore } from './snapshot-grid.ts'

/**
 * A position between two changes in the feed of name changes. A reader can continue from it. The `place` of a
 * change is the position right after that change.
 */
export interface FeedPlace {
  /** A record time, in its canonical form (`canonicalInstant`). */
  readonly at: string
  /** How many of the changes at this record time come before the place. Infinity means all of them. */
  readonly count: number
}

/**
 * A change of one name. It comes from an update of the ledger, or from the difference between two sets of
 * names (`ChangeFeed.take`).
 */
export interface FedChange {
  readonly kind: 'created' | 'renewed' | 'expired' | 'withdrawn'
  readonly entry: MirroredEntry
  /** The entry before a renewal; absent for other changes. */
  readonly was?: MirroredEntry
  readonly place: FeedPlace
}

const mostChanges = 10_000
const mostJumps = 100

/**
 * A period for which the feed received no updates. The feed has only the differences between the names before
 * and after the period.
 */
interface FeedJump {
  readonly from: FeedPlace
  readonly to: FeedPlace
}

const placePattern = /^([^/]{1,64})(?:\/([1-9]\d{0,5}))?$/

/**
 * Parses a place in the feed. `2026-01-01T00:00:00.5Z` is the place after all changes of that time, and
 * `2026-01-01T00:00:00.5Z/2` is the place after the second of these changes.
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
 * The latest changes of names, in the order of the ledger. The feed has every change after the place
 * `#since`, except within jumps (`FeedJump`).
 */
export class ChangeFeed {
  readonly #most: number
  readonly #runs: (() => void)[] = []
  #changes: FedChange[] = []
  #jumps: FeedJump[] = []
  #since: FeedPlace | undefined
  #end: FeedPlace | undefined

  /** @param most the maximum number of changes that the feed keeps. */
  constructor(most = mostChanges) {
    this.#most = most
  }

  /** The place that the feed has reached. Undefined before the first set of names. */
  get end(): FeedPlace | undefined {
    return this.#end
  }

  /**
   * Registers a callback. The feed calls it after each set of names and each page of updates, because these
   * may add and drop changes.
   */
  onMove(run: () => void): void {
    this.#runs.push(run)
  }

  /**
   * Continues the feed from a set of names that the mirror took. The differences between `former` and the set
   * become changes at the place `justBefore(set.at)`. The feed drops all changes instead in these cases:
   * - `former` is not known.
   * - The set lacks too many entries of `former` (`isContinuous`).
   * - The feed has already reached the place `justBefore(set.at)`.
   * @param former the entries that the mirror had before it took the set; absent if they are not known.
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
   * Adds changes that come from updates.
   * @param at the record time of the last update that the mirror followed, in its canonical form.
   */
  follow(changes: readonly FollowedChange[], at: string): void {
    if (changes.length > 0) this.#changes = this.#changes.concat(changes.flatMap(fedChanges))
    this.#drop()
    this.#moveTo(wholeOf(at))
  }

  /** Drops all changes. Called when a snapshot contradicts the updates from which the changes come. */
  forget(): void {
    if (this.#end !== undefined) this.#beginAt(this.#end)
  }

  /**
   * Returns the place from which a reader can continue: `place` itself if the feed has all changes after it,
   * and otherwise a later place. Undefined before the first set of names.
   *
   * `place` may be after the end of the feed if it comes from another daemon, or from before a restart.
   * Later, the feed may jump over `place` (`FeedJump`). The reader already has some of the changes in the
   * jump, so it must then continue at the end of the jump.
   */
  resumable(place: FeedPlace): FeedPlace | undefined {
    if (this.#since === undefined || isLaterPlace(this.#since, place)) return this.#since
    const over = this.#jumps.find(({ from, to }) => isLaterPlace(place, from) && isLater(to.at, place.at))
    return over?.to ?? place
  }

  /**
   * Returns the first changes after a place.
   * @param most the maximum number of changes to return.
   * @returns undefined if the feed may lack changes after the place.
   */
  after(place: FeedPlace, most: number): readonly FedChange[] | undefined {
    if (this.resumable(place) !== place) return undefined
    const from = this.#firstAfter(place)
    return this.#changes.slice(from, from + most)
  }

  #firstAfter(place: FeedPlace): number {
    const changes = this.#changes
    return firstIndex(changes.length, (at) => isLaterPlace((changes[at] as FedChange).place, place))
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
 * Returns the changes of one update in the order of the feed. Removals come before additions: a reader that
 * keeps one entry for each name then ends with the new entry. Changes of the same kind are sorted by contract
 * id, so that all daemons give a change the same number.
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
