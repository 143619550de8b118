import { firstIndex } from '../base/lib/first-index.ts'
import { canonicalInstant, isLater } from '../core/reads/instant.ts'
import type { AgreedSet } from './agreed-set.ts'
import { type Continuity, isContinuous } from './continuity.ts'
import type { FollowedChange } from './ledger-names.ts'
import type { MirroredEntry } from './mirrored-contracts.ts'
import { justBefore } from './snapshot-grid.ts'

/**
 * A position between two changes of names, from which a reader can continue. The `place` of a
 * change is the position right after that change.
 */
export interface FeedPlace {
  readonly at: string
  /**
   * The place is after this many changes of the record time `at`. Infinity means after all of them.
   */
  readonly count: number
}

export interface FedChange {
  readonly kind: 'created' | 'renewed' | 'expired' | 'withdrawn'
  readonly entry: MirroredEntry
  readonly was?: MirroredEntry
  readonly place: FeedPlace
}

const mostChanges = 10_000
const mostJumps = 100

/**
 * A period whose updates the mirror did not follow. The feed has only the differences between the
 * names before and after the period.
 */
interface FeedJump {
  readonly from: FeedPlace
  readonly to: FeedPlace
}

const placePattern = /^([^/]{1,64})(?:\/([1-9]\d{0,5}))?$/

/**
 * Parses a place. `2026-01-01T00:00:00.5Z` is after all changes of that time, and
 * `2026-01-01T00:00:00.5Z/2` is after the second of these changes.
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
 * Keeps the latest changes of names in the order of the ledger. The feed has every change after the
 * place `#since`, except within jumps (`FeedJump`).
 */
export class ChangeFeed {
  readonly #most: number
  readonly #runs: (() => void)[] = []
  readonly #interrupts: ((why: string) => void)[] = []
  #changes: FedChange[] = []
  #jumps: FeedJump[] = []
  #since: FeedPlace | undefined
  #end: FeedPlace | undefined

  constructor(most = mostChanges) {
    this.#most = most
  }

  get end(): FeedPlace | undefined {
    return this.#end
  }

  onMove(run: () => void): void {
    this.#runs.push(run)
  }

  onInterrupt(run: (why: string) => void): void {
    this.#interrupts.push(run)
  }

  /** Ends the streams to readers, because the mirror cannot say what changes. */
  interrupt(why: string): void {
    for (const run of this.#interrupts) run(why)
  }

  /**
   * Continues the feed with the differences between the mirror's earlier entries and a set that the
   * mirror took.
   * The feed begins anew if there are no earlier entries, if the set lacks too many of them, or if
   * the feed is already past the set.
   */
  take(set: AgreedSet, continuity?: Continuity): void {
    const from = this.#end
    const to = wholeOf(justBefore(set.at))
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

  follow(changes: readonly FollowedChange[], at: string): void {
    if (changes.length > 0) this.#changes = this.#changes.concat(changes.flatMap(fedChanges))
    this.#drop()
    this.#moveTo(wholeOf(at))
  }

  forget(): void {
    if (this.#end !== undefined) this.#beginAt(this.#end)
  }

  /**
   * Returns `place` if the feed has all changes after it. Otherwise returns the first later place
   * after which the feed has all changes.
   * A place within a jump (`FeedJump`) may come from another daemon, which followed the updates of
   * that period. The reader can continue only from the end of the jump.
   */
  resumable(place: FeedPlace): FeedPlace | undefined {
    if (this.#since === undefined || isLaterPlace(this.#since, place)) return this.#since
    const over = this.#jumps.find(({ from, to }) => isLaterPlace(place, from) && isLater(to.at, place.at))
    return over?.to ?? place
  }

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
 * Lists the changes of one record time. Removals come before additions, so that a reader which keeps
 * one entry for each name ends with the new entry.
 * The order within a kind is fixed, so that all daemons give a change the same place.
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
