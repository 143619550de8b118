import type { Moment } from '../../base/lib/clock.ts'
import type { Answer } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import type { Question } from '../reads/read.ts'

/**
 * Answers questions about names from the mirror, without a request to any scan (docs/mirror.md).
 */
export interface MirroredReads {
  /**
   * Returns the mirror's answer, or undefined if the mirror has no answer. The reader then looks in
   * the caches, and asks the super validators if necessary.
   * @param notBefore milliseconds since 1970. The answer must be true at this time or later. With
   * undefined, the caller accepts an answer of any age.
   */
  find(question: Question, at?: Moment, notBefore?: number): Served | undefined
  /** Counts an answer that a caller got. */
  answered(served: Served): void
  /**
   * Returns what the mirror knows of a name, also while it is too far behind to answer. No later answer
   * may be older.
   */
  known(question: Question): Answer | undefined
  agreed(question: Question, answer: Answer): void
}
