import type { Degradation } from './degradation.ts'
import { type SetStop, stopIn, type Withheld } from './withheld-in-file.ts'

/** The reasons why the mirror must not answer, although the present roster supports its set of names. */
export class Stops {
  /** The reason that applies until the mirror takes the next set of names; undefined if there is none. */
  #stop: SetStop | undefined
  /**
   * The record time of the snapshot that contradicted the followed updates: milliseconds since 1970. It stays
   * until the mirror takes the next set of names, even if another reason replaces `#stop` before then.
   */
  #unreconciledAt: number | undefined
  /**
   * The sentence that says why this release does not know the version of the name-service package in use.
   * Undefined if the version is known, and before the first check.
   */
  #unknownPackage: string | undefined
  /** Whether `judgePackage` was called since the start. */
  #isJudged = false

  /**
   * Returns one reason why the mirror answers nothing; undefined if there is none. Of several reasons, an unknown
   * package version comes first.
   */
  get first(): Degradation | undefined {
    return stopIn(this.kept)
  }

  get unreconciledAt(): number | undefined {
    return this.#unreconciledAt
  }

  /** The reasons that must be stored, so that they apply after a restart too. */
  get kept(): Omit<Withheld, 'live'> {
    const stop = this.#stop
    const unreconciledAt = this.#unreconciledAt
    const unknownPackage = this.#unknownPackage
    return {
      ...(stop && { stop }),
      ...(unreconciledAt !== undefined && { unreconciledAt }),
      ...(unknownPackage !== undefined && { unknownPackage }),
    }
  }

  stop(why: SetStop): void {
    this.#stop = why
  }

  /** @param at the record time of the snapshot that contradicted the followed updates. */
  unreconciled(at: number): void {
    this.#stop = { kind: 'unreconciled' }
    this.#unreconciledAt = at
  }

  /** Ends the reasons that concern the former set of names, because the mirror took another set. */
  taken(): void {
    this.#stop = undefined
    this.#unreconciledAt = undefined
  }

  /**
   * @param why the sentence that says which package version is unknown; undefined if the version is known.
   */
  judgePackage(why: string | undefined): void {
    this.#isJudged = true
    this.#unknownPackage = why
  }

  /**
   * Takes over the stored reasons from before a restart, except where this process already has newer ones.
   */
  restore({ stop, unreconciledAt, unknownPackage }: Withheld): void {
    this.#stop ??= stop
    this.#unreconciledAt ??= unreconciledAt
    if (!this.#isJudged) this.#unknownPackage = unknownPackage
  }
}
