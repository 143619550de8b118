import { type AnyArguments, type Arguments, paramsOf, type Value } from '../reads/arguments.ts'
import type { Question, Read } from '../reads/read.ts'
import { type ReadId, reads } from '../reads/table.ts'
import type { Answered } from './answered.ts'

export interface CallOptions {
  /** Ends the wait; what was asked for others goes on. */
  readonly signal?: AbortSignal
}

/** Arguments of which none is required may be left out. */
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

/** Asks one question; resolves with what was agreed, in the row's own shape. */
export type AskDaemon = (question: Question, signal: AbortSignal | undefined) => Promise<Answered<unknown>>

/** All reads as methods over one way to ask. */
export function methodsOver(ask: AskDaemon): ReadMethods {
  const methods = Object.entries<Read>(reads).map(([id, read]) => {
    const method = async (given: AnyArguments = {}, { signal }: CallOptions = {}) =>
      ask({ read, params: paramsOf(read, given) }, signal)
    return [id, method] as const
  })
  return Object.fromEntries(methods) as unknown as ReadMethods
}
