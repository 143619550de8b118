import type { Agreement } from '../cache/agreement.ts'
import type { AsOf, MirrorBasis } from '../cache/as-of.ts'
import type { Random } from '../lib/random.ts'
import { isBindable } from '../reads/bindable.ts'
import type { AgreedSet } from './agreed-set.ts'
import { ambiguousNames, expiryOf, isUnexpired } from './entries.ts'
import type { MirroredEntry } from './entry.ts'
import type { OverlayEntry } from './store.ts'

/** The agreement on an entry, and its time. All entries of a snapshot share one. */
export interface NameSource {
  readonly asOf: AsOf
  readonly agreement: Agreement
}

/** One name of the mirror. */
export interface MirroredName {
  readonly entry: MirroredEntry
  /** When the entry expires: milliseconds since 1970. */
  readonly endsAt: number
  readonly source: NameSource
}

/** The names of one agreed set, those that live reads added since, and those that only live reads may answer. */
export class MirroredNames {
  readonly #snapshot: NameSource
  readonly #rows: ReadonlyMap<string, MirroredName>
  /** The keys of `#rows`, so that one can be drawn by its number. */
  readonly #order: readonly string[]
  readonly #overlay = new Map<string, MirroredName>()
  /** The names that only live reads may answer, each with the time since when: milliseconds since 1970. */
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

  /** Leaves this name to live reads. */
  goLive(name: string, since: number): void {
    this.#overlay.delete(name)
    this.#live.set(name, since)
  }

  /** Adds the entry that a live read agreed on to the overlay. */
  add({ entry, agreedAt, agreement }: OverlayEntry): void {
    const { generation } = this.#snapshot.asOf
    const source = sourceOf(agreedAt, 'live', { agreement, generation })
    this.#overlay.set(entry.name, { entry, endsAt: expiryOf(entry), source })
  }

  /** Removes the names of the overlay whose agreement does not pass. */
  retainOverlay(isAgreed: (agreement: Agreement) => boolean): void {
    for (const [name, { source }] of this.#overlay)
      if (!isAgreed(source.agreement)) this.#overlay.delete(name)
  }

  /** Returns the results of live reads after the snapshot of a newer set. That set decides about everything before. */
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
   * Returns a random name of the snapshot; undefined if there is none, or if only live reads may answer the drawn name.
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

/** Entries that had expired at the snapshot are left out, so that whoever registered the name since is found. */
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
