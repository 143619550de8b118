import type { Agreement } from '../cache/agreement.ts'
import type { AsOf, MirrorBasis } from '../cache/as-of.ts'
import type { Random } from '../lib/random.ts'
import { isBindable } from '../reads/bindable.ts'
import type { MirroredEntry } from '../reads/mirrored-entry.ts'
import type { AgreedSet } from './agreed-set.ts'
import { ambiguousNames, expiryOf, isUnexpired } from './entry-expiry.ts'

/** An entry on which a quorum agreed after the snapshot, when a read asked super validators. */
export interface OverlayEntry {
  readonly entry: MirroredEntry
  readonly agreedAt: number
  readonly agreement: Agreement
}

export interface NameSource {
  readonly asOf: AsOf
  readonly agreement: Agreement
}

export interface MirroredName {
  readonly entry: MirroredEntry
  readonly endsAt: number
  readonly source: NameSource
}

/**
 * The names of one agreed snapshot, and the entries that live reads added since (the overlay). A
 * live read asks super validators.
 */
export class MirroredNames {
  readonly #snapshot: NameSource
  readonly #rows: ReadonlyMap<string, MirroredName>
  readonly #order: readonly string[]
  readonly #overlay = new Map<string, MirroredName>()
  /**
   * For each name that only live reads may answer, the time since when: milliseconds since 1970.
   */
  readonly #leftToLiveReads: Map<string, number>

  private constructor(snapshot: NameSource, { rows, twins }: IndexedNames) {
    const { at } = snapshot.asOf
    this.#snapshot = snapshot
    this.#rows = rows
    this.#order = [...rows.keys()]
    this.#leftToLiveReads = new Map([...twins].map((name) => [name, at]))
  }

  static *of({ at, entries, agreement }: AgreedSet, generation: number): Generator<void, MirroredNames> {
    const snapshot = sourceOf(at, 'snapshot', { agreement, generation })
    return new MirroredNames(snapshot, yield* rowsOf(entries, snapshot))
  }

  get size(): number {
    return this.#rows.size
  }

  get overlaySize(): number {
    return this.#overlay.size
  }

  find(name: string): MirroredName | undefined {
    if (this.#leftToLiveReads.size > 0 && this.#leftToLiveReads.has(name)) return undefined
    return (this.#overlay.size > 0 ? this.#overlay.get(name) : undefined) ?? this.#rows.get(name)
  }

  isLeftToLiveReads(name: string): boolean {
    return this.#leftToLiveReads.has(name)
  }

  /** @param since milliseconds since 1970. */
  leaveToLiveReads(name: string, since: number): void {
    this.#overlay.delete(name)
    this.#leftToLiveReads.set(name, since)
  }

  add({ entry, agreedAt, agreement }: OverlayEntry): void {
    const { generation } = this.#snapshot.asOf
    const source = sourceOf(agreedAt, 'live', { agreement, generation })
    this.#overlay.set(entry.name, { entry, endsAt: expiryOf(entry), source })
  }

  retainOverlay(isAgreed: (agreement: Agreement) => boolean): void {
    for (const [name, { source }] of this.#overlay)
      if (!isAgreed(source.agreement)) this.#overlay.delete(name)
  }

  /**
   * Returns the changes that a newer set of record time `at` must keep, because they are at least
   * as new as that set: overlay entries, and names that are left to live reads.
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
      live: [...this.#leftToLiveReads].filter(([, since]) => since >= at),
    }
  }

  any(random: Random): MirroredName | undefined {
    const name = this.#order[Math.floor(random() * this.#order.length)]
    return name === undefined || this.#leftToLiveReads.has(name) ? undefined : this.#rows.get(name)
  }
}

interface IndexedNames {
  readonly rows: ReadonlyMap<string, MirroredName>
  readonly twins: ReadonlySet<string>
}

function sourceOf(
  at: number,
  basis: MirrorBasis,
  { agreement, generation }: { readonly agreement: Agreement; readonly generation: number },
): NameSource {
  return { asOf: { at, claim: 'binding', basis, generation }, agreement }
}

/**
 * Indexes entries by name, except names that several entries have (`twins`), expired entries, and
 * names of the DSO and of super validators.
 * An expired name may have another owner since, and a name of the DSO or a super validator can end
 * at any time.
 */
function* rowsOf(entries: readonly MirroredEntry[], source: NameSource): Generator<void, IndexedNames> {
  const { at } = source.asOf
  const twins = yield* ambiguousNames(entries, at)
  const rows = new Map<string, MirroredName>()
  for (const entry of entries) {
    yield
    const { name } = entry
    if (isBindable(name) && isUnexpired(entry, at) && !twins.has(name))
      rows.set(name, { entry, endsAt: expiryOf(entry), source })
  }
  return { rows, twins }
}
