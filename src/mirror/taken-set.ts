import type { Roster } from '../scan/roster.ts'
import type { AgreedSet } from './agreed-set.ts'
import { MirroredNames } from './mirrored-names.ts'
import { isStillAgreed } from './still-agreed.ts'
import type { MirrorContent } from './store.ts'

/** The set that the mirror took last, with its names, and whether the roster in force still supports it. */
export class TakenSet {
  readonly set: AgreedSet
  readonly generation: number
  readonly names: MirroredNames
  #judged: { readonly roster: Roster | undefined; readonly isAgreed: boolean } | undefined

  constructor({ set, generation, overlay }: Omit<MirrorContent, 'followed'>) {
    this.set = set
    this.generation = generation
    this.names = new MirroredNames(set, generation)
    for (const entry of overlay) this.names.add(entry)
  }

  /** Whether the super validators that agreed were a quorum of the roster that was judged last. */
  get isAgreed(): boolean {
    return this.#judged?.isAgreed ?? false
  }

  /**
   * Judges whether the super validators that agreed are a quorum of this roster. If they are, it also drops the names
   * of live reads whose own agreement is no quorum any more.
   * @returns false if this roster was already judged.
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
