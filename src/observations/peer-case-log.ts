import type { Case } from '../scan/evidence-log.ts'

/**
 * The maximum number of cases about one peer that are kept. Each peer has a list of its own, so that cases
 * about one peer cannot displace cases about another.
 */
const mostCases = 32
/** The maximum number of cases about one peer that are filed in one epoch. */
const mostInEpoch = 16
/** The maximum number of keys of filed cases that are remembered, so that no case is filed twice. */
const mostRemembered = 1_024

/**
 * The evidence about one peer, in bounded memory: observations that contradict those of this daemon, and
 * cases of two notes about one epoch.
 */
export class PeerCaseLog {
  readonly #cases: Case[] = []
  readonly #remembered = new Set<string>()
  #epoch = 0
  #filed = 0

  /**
   * Files a case. Returns false, and files nothing, if the case was filed before or too many were filed in
   * this epoch.
   * @param key identifies the case.
   * @param epoch the current epoch.
   * @param made makes the evidence. Called only if the case is filed.
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
