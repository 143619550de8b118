import { firstIndex } from '../lib/first-index.ts'

/**
 * The maximum number of reply times that are kept: enough to show the usual times, and few enough
 * to react soon to a change.
 */
const recordedReplies = 32

export class ReplyTimes {
  /**
   * The reply times in milliseconds, in order of arrival, as a ring buffer. Once the buffer is full,
   * `#next` is the index of the oldest entry.
   */
  readonly #times = new Float64Array(recordedReplies)
  readonly #ascending = new Float64Array(recordedReplies)
  #next = 0
  #count = 0

  get count(): number {
    return this.#count
  }

  add(ms: number): void {
    if (this.#count === recordedReplies) this.#forget(this.#times[this.#next] as number)
    this.#times[this.#next] = ms
    this.#next = (this.#next + 1) % recordedReplies
    const at = this.#placeOf(ms)
    this.#ascending.copyWithin(at + 1, at, this.#count)
    this.#ascending[at] = ms
    this.#count++
  }

  /**
   * Returns the milliseconds within which this share of the recorded replies arrived; NaN without
   * replies.
   * @param share a number above 0 and up to 1.
   */
  within(share: number): number {
    if (this.#count === 0) return Number.NaN
    return this.#ascending[Math.ceil(share * this.#count) - 1] as number
  }

  #forget(ms: number): void {
    const at = this.#placeOf(ms)
    this.#ascending.copyWithin(at, at + 1, this.#count)
    this.#count--
  }

  #placeOf(ms: number): number {
    return firstIndex(this.#count, (index) => (this.#ascending[index] as number) >= ms)
  }
}
