import type { Answer } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import type { Moment } from '../lib/clock.ts'
import type { Question } from '../reads/read.ts'

/** Answers to questions that need no request, from an agreed set of names (docs/mirror.md). */
export interface MirroredReads {
  /**
   * Returns the answer, or undefined if super validators must be asked.
   * @param at the present moment, if the caller has already read the clock.
   * @param notBefore the answer must be true at this time or later: milliseconds since 1970.
   */
  find(question: Question, at: Moment | undefined, notBefore: number | undefined): Served | undefined
  /** Hears of every answer that a quorum of super validators gave to a live read. */
  agreed(question: Question, answer: Answer): void
}
