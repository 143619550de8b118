import type { Answer } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import type { Moment } from '../lib/clock.ts'
import type { Question } from '../reads/read.ts'

/** Answers questions about names from the mirror, without any request (docs/mirror.md). */
export interface MirroredReads {
  /**
   * Returns the answer, or undefined if super validators must be asked.
   * @param at the present moment; if undefined, `find` reads the clock.
   * @param notBefore milliseconds since 1970. The answer must be true at this time or later.
   */
  find(question: Question, at: Moment | undefined, notBefore: number | undefined): Served | undefined
  /** Returns what `find` would return now to a caller that accepts any age, without counting it as an answer. */
  peek(question: Question): Served | undefined
  /** Receives every answer that a quorum of super validators gave to a live read. */
  agreed(question: Question, answer: Answer): void
}
