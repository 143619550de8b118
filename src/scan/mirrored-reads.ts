import type { Answer } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import type { Moment } from '../lib/clock.ts'
import type { Question } from '../reads/read.ts'

/** Answers questions about names from the mirror, without a request to any scan (docs/mirror.md). */
export interface MirroredReads {
  /**
   * Returns the answer. Undefined if the mirror has no answer: the reader then looks in the caches, and asks
   * the super validators if necessary.
   * @param at the present moment; if undefined, `find` reads the clock.
   * @param notBefore milliseconds since 1970. The answer must be true at this time or later. If undefined, an
   * answer of any age is accepted.
   */
  find(question: Question, at: Moment | undefined, notBefore: number | undefined): Served | undefined
  /**
   * Returns the answer that `find` would return now to a caller that accepts any age. Metrics count the
   * answers of `find`, but not those of `peek`.
   */
  peek(question: Question): Served | undefined
  /** Receives every answer that the reader loads from a quorum of super validators. */
  agreed(question: Question, answer: Answer): void
}
