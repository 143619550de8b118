import { LRUCache } from 'lru-cache'
import type { Answer } from '../cache/answer.ts'

/** The number of live answers that are remembered. */
const mostAnswers = 10_000

interface NewerAnswer {
  readonly digest: string
  /** The time at which the quorum agreed: milliseconds since 1970. */
  readonly agreedAt: number
}

/** Remembers live answers that are newer than the followed state, so that the state never takes one of them back. */
export class NewerAnswers {
  readonly #answers = new LRUCache<string, NewerAnswer>({ max: mostAnswers })

  /**
   * Remembers a live answer that differs from the state's own answer to the same question.
   * @param own the state's answer; undefined if the state has none now.
   * @param agreedAt when the quorum agreed: milliseconds since 1970.
   */
  heard(
    key: string,
    live: Answer,
    { own, agreedAt }: { readonly own: Answer | undefined; readonly agreedAt: number },
  ): void {
    if (live.digest === own?.digest) this.#answers.delete(key)
    else this.#answers.set(key, { digest: live.digest, agreedAt })
  }

  /**
   * Whether a live answer was newer than this answer of the state, and the state has not come as far since.
   * @param at the record time of the state: milliseconds since 1970.
   */
  isBehind(key: string, own: Answer, at: number): boolean {
    if (this.#answers.size === 0) return false
    const newer = this.#answers.get(key)
    if (newer === undefined) return false
    if (newer.digest !== own.digest && at <= newer.agreedAt) return true
    this.#answers.delete(key)
    return false
  }
}
