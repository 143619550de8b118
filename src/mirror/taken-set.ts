import type { Roster } from '../scan/roster.ts'
import type { AgreedSet } from './agreed-set.ts'
import { MirroredNames } from './mirrored-names.ts'
import { isStillAgreed } from './still-agreed.ts'
import type { MirrorContent } from './store.ts'

/**
 * The set that the mirror took last. `isAgreed` says whether a quorum of the roster, the present
 * list of super validators, still supports it.
 */
export class TakenSet {
  readonly set: AgreedSet
  readonly generation: number
  readonly names: MirroredNames
  #judged: { readonly roster: Roster | undefined; readonly isAgreed: boolean } | undefined

  constructor({ set, generation, overlay, withheld }: Omit<MirrorContent, 'followed'>) {
    this.set = set
    this.generation = generation
    this.names = new MirroredNames(set, generation)
    for (const entry of overlay) this.names.add(entry)
    for (const [name, since] of withheld.live) this.names.leaveToLiveReads(name, since)
  }

  get isAgreed(): boolean {
    return this.#judged?.isAgreed ?? false
  }

  /**
   * Judges whether the super validators that agreed on the set are still a quorum of `roster`. Also
   * drops overlay entries (additions of live reads) without such a quorum.
   * @returns whether the roster differs from that of the last call.
   */
  judge(roster: Roster | undefined): boolean {
    if (this.#judged !== undefined && this.#judged.roster === roster) return false
    const isAgreed =
      roster !== undefined && this.set.dso === roster.set.dso && isStillAgreed(this.set.agreement, roster)
    this.#judged = { roster, isAgreed }
    if (isAgreed) this.names.retainOverlay((agreement) => isStillAgreed(agreement, roster))
    return true
  }
}
