import type { Case } from '../scan/evidence-log.ts'

/** Each peer has its own list, so that cases about one peer cannot displace cases about another. */
const mostCases = 32
const mostInEpoch = 16
const mostRemembered = 1_024

export class PeerCaseLog {
  readonly #cases: Case[] = []
  readonly #remembered = new Set<string>()
  #epoch = 0
  #filed = 0

  /**
   * Returns false if the case was filed before, or if too many cases were filed in this epoch.
   * @param key identifies the case
   * @param made called only if the case is filed
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
