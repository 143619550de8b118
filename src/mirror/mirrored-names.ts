import type { Agreement } from '../cache/agreement.ts'
import type { AsOf, MirrorBasis } from '../cache/as-of.ts'
import type { Random } from '../lib/random.ts'
import { isBindable } from '../reads/bindable.ts'
import type { AgreedSet } from './agreed-set.ts'
import { ambiguousNames, expiryOf, isUnexpired } from './entry-expiry.ts'
import type { MirroredEntry } from './mirrored-entry.ts'
import type { OverlayEntry } from './store.ts'

/**
 * The source of a mirrored entry: the time at which the entry was agreed, and the agreement. All entries of a
 * snapshot share one object.
 */
export interface NameSource {
  readonly asOf: AsOf
  readonly agreement: Agreement
}

export interface MirroredName {
  readonly entry: MirroredEntry
  /** The expiry of the entry: milliseconds since 1970. */
  readonly endsAt: number
  readonly source: NameSource
}

/**
 * The names of one agreed set, with two additions: the overlay, which live reads fill, and the names whose
 * lookups only live reads may answer.
 */
export class MirroredNames {
  readonly #snapshot: NameSource
  readonly #rows: ReadonlyMap<string, MirroredName>
  /** The keys of `#rows`, so that a random one can be picked by its index. */
  readonly #order: readonly string[]
  readonly #overlay = new Map<string, MirroredName>()
  /**
   * The names whose lookups only live reads may answer, each with the time at which this began: milliseconds
   * since 1970.
   */
  readonly #live: Map<string, number>

  constructor({ at, entries, agreement }: AgreedSet, generation: number) {
    this.#snapshot = sourceOf(at, 'snapshot', { agreement, generation })
    const { rows, twins } = rowsOf(entries, this.#snapshot)
    this.#rows = rows
    this.#order = [...rows.keys()]
    this.#live = new Map([...twins].map((name) => [name, at]))
  }

  get size(): number {
    return this.#rows.size
  }

  get overlaySize(): number {
    return this.#overlay.size
  }

  find(name: string): MirroredName | undefined {
    if (this.#live.size > 0 && this.#live.has(name)) return undefined
    return (this.#overlay.size > 0 ? this.#overlay.get(name) : undefined) ?? this.#rows.get(name)
  }

  isLive(name: string): boolean {
    return this.#live.has(name)
  }

  /** Leaves lookups of this name to live reads, from the time `since` on: milliseconds since 1970. */
  goLive(name: string, since: number): void {
    this.#overlay.delete(name)
    this.#live.set(name, since)
  }

  /** Adds to the overlay an entry on which a live read agreed. */
  add({ entry, agreedAt, agreement }: OverlayEntry): void {
    const { generation } = this.#snapshot.asOf
    const source = sourceOf(agreedAt, 'live', { agreement, generation })
    this.#overlay.set(entry.name, { entry, endsAt: expiryOf(entry), source })
  }

  /** Keeps only the entries of the overlay with an agreement that satisfies `isAgreed`. */
  retainOverlay(isAgreed: (agreement: Agreement) => boolean): void {
    for (const [name, { source }] of this.#overlay)
      if (!isAgreed(source.agreement)) this.#overlay.delete(name)
  }

  /**
   * Returns the additions that a newer set must take over, because they are at least as new as that set:
   * entries of the overlay, and names that were left to live reads (`goLive`).
   * @param at the record time of the newer set: milliseconds since 1970.
   */
  since(at: number): {
    readonly overlay: readonly OverlayEntry[]
    readonly live: readonly [string, number][]
  } {
    const overlay = [...this.#overlay.values()].map(({ entry, source }) => ({
      entry,
      agreedAt: source.asOf.at,
      agreement: source.agreement,
    }))
    return {
      overlay: overlay.filter(({ agreedAt }) => agreedAt >= at),
      live: [...this.#live].filter(([, since]) => since >= at),
    }
  }

  /**
   * Draws a random name of the snapshot. Returns undefined if the snapshot has no names, or if lookups of the
   * drawn name are left to live reads.
   */
  any(random: Random): MirroredName | undefined {
    const name = this.#order[Math.floor(random() * this.#order.length)]
    return name === undefined || this.#live.has(name) ? undefined : this.#rows.get(name)
  }
}

function sourceOf(
  at: number,
  basis: MirrorBasis,
  { agreement, generation }: { readonly agreement: Agreement; readonly generation: number },
): NameSource {
  return { asOf: { at, claim: 'binding', basis, generation }, agreement }
}

/**
 * Returns in `rows` the entries with which the mirror may answer, by name, and in `twins` the names that
 * several entries have. `rows` lacks:
 * - entries whose name is in `twins`,
 * - entries that had expired at the snapshot, because their names may have other owners since,
 * - names of the DSO and of super validators, which can end at any time.
 */
function rowsOf(entries: readonly MirroredEntry[], source: NameSource) {
  const { at } = source.asOf
  const twins = ambiguousNames(entries, at)
  const rows = new Map<string, MirroredName>()
  for (const entry of entries) {
    const { name } = entry
    if (isBindable(name) && isUnexpired(entry, at) && !twins.has(name))
      rows.set(name, { entry, endsAt: expiryOf(entry), source })
  }
  return { rows, twins }
}
