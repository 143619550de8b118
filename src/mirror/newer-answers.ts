import { LRUCache } from 'lru-cache'
import type { Answer } from '../cache/answer.ts'

const mostAnswers = 10_000

interface NewerAnswer {
  readonly digest: string
  readonly agreedAt: number
}

/**
 * Remembers answers of super validators where the mirror would answer otherwise. Such an answer may
 * be newer than the mirror's names.
 * The mirror therefore does not answer the question until it has followed a later update, or gives
 * the same answer itself.
 */
export class NewerAnswers {
  readonly #answers = new LRUCache<string, NewerAnswer>({ max: mostAnswers })

  heard(
    key: string,
    live: Answer,
    { own, agreedAt }: { readonly own: Answer | undefined; readonly agreedAt: number },
  ): void {
    if (live.digest === own?.digest) this.#answers.delete(key)
    else this.#answers.set(key, { digest: live.digest, agreedAt })
  }

  /**
   * Returns true if level `stream` must not give its answer `own`: super validators answered
   * otherwise, and no later update has been followed since.
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
