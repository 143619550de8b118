import type { Roster } from '../scan/roster.ts'
import type { AgreedSet } from './agreed-set.ts'
import type { MirrorContent } from './mirror-file.ts'
import type { MirroredNames, OverlayEntry } from './mirrored-names.ts'
import { isStillAgreed } from './still-agreed.ts'

export interface SetContent extends Omit<MirrorContent, 'reached'> {
  readonly overlay: readonly OverlayEntry[]
}

/**
 * The set that the mirror took last. `isAgreed` says whether a quorum of the roster, the present
 * list of super validators, still supports it.
 */
export class TakenSet {
  readonly set: AgreedSet
  readonly generation: number
  readonly names: MirroredNames
  #judged: { readonly trust: string | undefined; readonly isAgreed: boolean } | undefined

  constructor({ set, generation, overlay, withheld }: SetContent, names: MirroredNames) {
    this.set = set
    this.generation = generation
    this.names = names
    for (const entry of overlay) this.names.add(entry)
    for (const [name, since] of withheld.live) this.names.leaveToLiveReads(name, since)
  }

  get isAgreed(): boolean {
    return this.#judged?.isAgreed ?? false
  }

  /**
   * Judges whether the super validators that agreed on the set are still a quorum of `roster`. Also
   * drops overlay entries (additions of live reads) without such a quorum. A roster of the same
   * trust digest needs no judgement: super validators that only move must not end the set, also not
   * by moving to the origin of another, with which they then share a vote.
   * @returns whether the trust digest differs from that of the last call.
   */
  judge(roster: Roster | undefined): boolean {
    const trust = roster?.trustDigest
    if (this.#judged !== undefined && this.#judged.trust === trust) return false
    const isAgreed = roster !== undefined && this.set.dso === roster.set.dso && this.#isAgreedIn(roster)
    this.#judged = { trust, isAgreed }
    if (isAgreed) this.names.retainOverlay((agreement) => isStillAgreed(agreement, roster))
    return true
  }

  #isAgreedIn(roster: Roster): boolean {
    const { trustDigest, agreement } = this.set
    return trustDigest === roster.trustDigest || isStillAgreed(agreement, roster)
  }
}
