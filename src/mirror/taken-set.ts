import type { Agreement } from '../core/cache/agreement.ts'
import type { AsOf } from '../core/cache/as-of.ts'
import type { Roster } from '../core/scan/roster.ts'
import type { AgreedSet } from './agreed-set.ts'
import type { LedgerNames } from './ledger-names.ts'
import type { LedgerReach } from './ledger-time.ts'
import { isStillAgreed } from './mirror-electorate.ts'
import { type HeldEntry, isBindable } from './name-state.ts'

/** An entry on which a quorum agreed. It binds its name to its owner until it expires. */
export interface Binding {
  readonly held: HeldEntry
  readonly asOf: AsOf
  readonly agreement: Agreement
}

/** Reads that asked super validators found this about names since a set was taken. */
export interface LiveNames {
  readonly overlay: readonly Binding[]
  /**
   * The names that only live reads may answer, and since when: milliseconds since 1970.
   */
  readonly live: readonly (readonly [name: string, since: number])[]
}

/**
 * The set that the mirror took last: its names, and what live reads added to them (the overlay). A
 * live read asks super validators.
 */
export class TakenSet {
  readonly set: AgreedSet
  readonly generation: number
  readonly names: LedgerNames
  readonly #asOf: AsOf
  readonly #overlay: Map<string, Binding>
  readonly #leftToLiveReads: Map<string, number>
  #judged: { readonly trust: string | undefined; readonly isAgreed: boolean } | undefined

  constructor(names: LedgerNames, generation: number, { overlay, live }: LiveNames) {
    this.set = names.set
    this.names = names
    this.generation = generation
    this.#asOf = { at: this.set.at, claim: 'binding', basis: 'snapshot', generation }
    this.#overlay = new Map(
      overlay.map(({ asOf, ...each }) => [each.held.entry.name, { ...each, asOf: { ...asOf, generation } }]),
    )
    this.#leftToLiveReads = new Map(live)
  }

  /** Whether a quorum of the roster, the present list of super validators, still supports the set. */
  get isAgreed(): boolean {
    return this.#judged?.isAgreed ?? false
  }

  /** The number of names, with those that live reads added. */
  get size(): number {
    return this.names.index.size + this.#overlay.size
  }

  get overlaySize(): number {
    return this.#overlay.size
  }

  /**
   * Returns the entry that binds the name, which may have expired by the daemon's clock. Undefined if
   * several entries have the name, if only live reads may answer the name, or if the name may end by
   * a vote.
   */
  binding(name: string, reach: LedgerReach): Binding | undefined {
    if (this.isLeftToLiveReads(name)) return undefined
    const { names, set, generation } = this
    const live = this.#overlay.size > 0 ? this.#overlay.get(name) : undefined
    if (live !== undefined && live.asOf.at >= names.at) return live
    const [held, another] = names.index.held(name, reach)
    if (held === undefined || another !== undefined || !isBindable(name)) return undefined
    if (!names.isChanged(name)) return { held, asOf: this.#asOf, agreement: set.agreement }
    // The present roster did not agree on the updates of another one.
    if (this.#judged?.trust !== set.trustDigest) return undefined
    const asOf = { at: names.at, claim: 'binding', basis: 'stream', generation } as const
    return { held, asOf, agreement: names.agreement }
  }

  isLeftToLiveReads(name: string): boolean {
    return this.#leftToLiveReads.size > 0 && this.#leftToLiveReads.has(name)
  }

  /** @param since milliseconds since 1970. */
  leaveToLiveReads(name: string, since: number): void {
    this.#overlay.delete(name)
    this.#leftToLiveReads.set(name, since)
  }

  add(held: HeldEntry, at: number, agreement: Agreement): void {
    const asOf = { at, claim: 'binding', basis: 'live', generation: this.generation } as const
    this.#overlay.set(held.entry.name, { held, asOf, agreement })
  }

  /**
   * Returns what a newer set of record time `at` must keep, because it is at least as new as that
   * set.
   */
  since(at: number): LiveNames {
    return {
      overlay: [...this.#overlay.values()].filter(({ asOf }) => asOf.at >= at),
      live: [...this.#leftToLiveReads].filter(([, since]) => since >= at),
    }
  }

  /**
   * Judges whether the super validators that agreed on the set are still a quorum of `roster`. Also
   * drops overlay entries without such a quorum. A roster of the same trust digest needs no
   * judgement: super validators that only move must not end the set, also not by moving to the origin
   * of another, with which they then share a vote.
   * @returns whether the trust digest differs from that of the last call.
   */
  judge(roster: Roster | undefined): boolean {
    const trust = roster?.trustDigest
    if (this.#judged !== undefined && this.#judged.trust === trust) return false
    const isAgreed =
      roster !== undefined && this.set.dso === roster.membership.dso && this.#isAgreedIn(roster)
    this.#judged = { trust, isAgreed }
    if (isAgreed)
      for (const [name, { agreement }] of this.#overlay)
        if (!isStillAgreed(agreement, roster)) this.#overlay.delete(name)
    return true
  }

  #isAgreedIn(roster: Roster): boolean {
    const { trustDigest, agreement } = this.set
    return trustDigest === roster.trustDigest || isStillAgreed(agreement, roster)
  }
}
