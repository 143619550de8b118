import type { Case } from '../scan/evidence-log.ts'

/** The most cases of one peer that are kept. Each peer has its own list, so that none evicts the cases of another. */
const mostCases = 32
/** The most cases of one peer that are filed in one epoch. */
const mostInEpoch = 16
/** The most contradictions of one peer that are remembered, so that each is filed once. */
const mostRemembered = 1_024

/** The contradictions between this daemon and one peer, in bounded memory. */
export class SplitViewCases {
  readonly #cases: Case[] = []
  readonly #remembered = new Set<string>()
  #epoch = 0
  #filed = 0

  /**
   * Files a contradiction once. Returns false if it was filed before, or if this epoch has no room for more.
   * @param key tells the contradiction from others.
   * @param epoch the current epoch.
   * @param made makes the case.
   */
  file(key: string, epoch: number, made: () => Case): boolean {
    if (this.#remembered.has(key)) return false
    if (epoch !== this.#epoch) this.#filed = 0
    this.#epoch = epoch
    if (this.#filed >= mostInEpoch) return false
    this.#filed++
    this.#remember(key)
    this.#cases.push(made())
    if (this.#cases.length > mostCases) this.#cases.shift()
    return true
  }

  all(): readonly Case[] {
    return this.#cases
  }

  #remember(key: string): void {
    this.#remembered.add(key)
    const [oldest] = this.#remembered
    if (this.#remembered.size > mostRemembered) this.#remembered.delete(oldest as string)
  }
}
