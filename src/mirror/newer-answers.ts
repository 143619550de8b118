import { LRUCache } from 'lru-cache'
import type { Answer } from '../cache/answer.ts'

const mostAnswers = 10_000

interface NewerAnswer {
  readonly digest: string
  /** The time that the ledger had reached when the quorum agreed: milliseconds since 1970. */
  readonly agreedAt: number
}

/**
 * Remembers answers of live reads that are newer than the followed names. Level `stream` then does not answer
 * the same question with older content.
 */
export class NewerAnswers {
  readonly #answers = new LRUCache<string, NewerAnswer>({ max: mostAnswers })

  /**
   * Remembers the answer of a live read if it differs from the answer of level `stream` to the same question.
   * @param key the cache key of the question.
   * @param own the answer of level `stream`; undefined if that level has none now.
   * @param agreedAt the time that the ledger had reached when the quorum agreed on the live answer:
   * milliseconds since 1970.
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
   * Whether an answer of level `stream` may be older than the remembered live answer to the same question:
   * the two differ, and the mirror has followed no update after the live answer yet. Otherwise, forgets the
   * live answer.
   * @param own the answer of level `stream`.
   * @param at the record time of the last followed update: milliseconds since 1970.
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
