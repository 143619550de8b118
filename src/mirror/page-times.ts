import { ReplyTimes } from '../scan/reply-times.ts'

/** The share of pages, from 0 to 1, that arrived within the usual time. */
const usualShare = 0.75
/** A page is late after this time while no scan has sent a page. */
const unknownLateMs = 5_000
const leastLateMs = 1_000
const mostLateMs = 30_000

/** The times that the pages of one drain took, of all its scans. */
export class PageTimes {
  readonly #times = new ReplyTimes()

  add(ms: number): void {
    this.#times.add(ms)
  }

  get lateMs(): number {
    if (this.#times.count === 0) return unknownLateMs
    return Math.max(leastLateMs, Math.min(mostLateMs, 2 * this.#times.within(usualShare)))
  }
}
