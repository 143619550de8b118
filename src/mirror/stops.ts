import type { Degradation } from './degradation.ts'
import { type SetStop, stopIn, type Withheld } from './withheld-in-file.ts'

/**
 * The reasons why the mirror must not answer, although the present super validators support its set
 * of names.
 */
export class Stops {
  /** This reason applies until the mirror takes the next set of names. */
  #stop: SetStop | undefined
  /**
   * The record time of the snapshot that contradicted the followed updates: milliseconds since
   * 1970. It stays even if another reason replaces `#stop`.
   */
  #unreconciledAt: number | undefined
  #unknownPackage: string | undefined
  #isJudged = false

  get first(): Degradation | undefined {
    return stopIn(this.kept)
  }

  get unreconciledAt(): number | undefined {
    return this.#unreconciledAt
  }

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

  unreconciled(at: number): void {
    this.#stop = { kind: 'unreconciled' }
    this.#unreconciledAt = at
  }

  taken(): void {
    this.#stop = undefined
    this.#unreconciledAt = undefined
  }

  judgePackage(why: string | undefined): void {
    this.#isJudged = true
    this.#unknownPackage = why
  }

  /**
   * Takes over the stored reasons. A reason that this process already has is newer than the stored
   * one, and stays.
   */
  restore({ stop, unreconciledAt, unknownPackage }: Withheld): void {
    this.#stop ??= stop
    this.#unreconciledAt ??= unreconciledAt
    if (!this.#isJudged) this.#unknownPackage = unknownPackage
  }
}
