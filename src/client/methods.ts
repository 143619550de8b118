import { type AnyArguments, type Arguments, paramsOf, type Value } from '../reads/arguments.ts'
import type { Question, Read } from '../reads/read.ts'
import { type ReadId, reads } from '../reads/table.ts'
import type { Answered } from './answered.ts'

export interface CallOptions {
  /** Ends the wait. Asks on behalf of other callers continue. */
  readonly signal?: AbortSignal
}

/** Permits omitting the arguments if none is required. */
type Call<Id extends ReadId> =
  Record<never, never> extends Arguments<Id>
    ? [given?: Arguments<Id>, options?: CallOptions]
    : [given: Arguments<Id>, options?: CallOptions]

/**
 * A method for each row of the table of reads (`docs/reads.md`), named as the operation in Splice's scan.yaml. A bad
 * question rejects with a `SpliceError` before anybody is asked.
 */
export type ReadMethods = {
  readonly [Id in ReadId]: (...args: Call<Id>) => Promise<Answered<Value<Id>>>
}

/** Asks one question. Resolves with the agreed answer in the row's own shape. */
export type AskDaemon = (question: Question, signal: AbortSignal | undefined) => Promise<Answered<unknown>>

/** Builds the methods of all reads on one function that asks. */
export function methodsOver(ask: AskDaemon): ReadMethods {
  const methods = Object.entries<Read>(reads).map(([id, read]) => {
    const method = async (given: AnyArguments = {}, { signal }: CallOptions = {}) =>
      ask({ read, params: paramsOf(read, given) }, signal)
    return [id, method] as const
  })
  return Object.fromEntries(methods) as unknown as ReadMethods
}
