import type { AnyQuestion, Question, Value } from '../reads/question.ts'
import { paramsOf } from '../reads/question.ts'
import type { Params, Read } from '../reads/read.ts'
import { type ReadId, reads } from '../reads/table.ts'
import type { Answered } from './answered.ts'

export interface CallOptions {
  /** Ends the wait; what was asked for others goes on. */
  readonly signal?: AbortSignal
}

/** A question without required members may be left out. */
type Arguments<Id extends ReadId> =
  Record<never, never> extends Question<Id>
    ? [question?: Question<Id>, options?: CallOptions]
    : [question: Question<Id>, options?: CallOptions]

/**
 * A method for each row of the table of reads (`docs/reads.md`), named as the operation in Splice's scan.yaml. A bad
 * question rejects with a `SpliceError` before anybody is asked.
 */
export type ReadMethods = {
  readonly [Id in ReadId]: (...args: Arguments<Id>) => Promise<Answered<Value<Id>>>
}

/** Asks one question; resolves with what was agreed, in the row's own shape. */
export type Ask = (read: Read, params: Params, signal: AbortSignal | undefined) => Promise<Answered<unknown>>

/** All reads as methods over one way to ask. */
export function methodsOver(ask: Ask): ReadMethods {
  const methods = Object.entries<Read>(reads).map(([id, read]) => {
    const method = async (question: AnyQuestion = {}, { signal }: CallOptions = {}) =>
      ask(read, paramsOf(read, question), signal)
    return [id, method] as const
  })
  return Object.fromEntries(methods) as unknown as ReadMethods
}
