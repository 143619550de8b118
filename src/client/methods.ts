import type { AnyArguments, Arguments, Value } from '../reads/arguments.ts'
import type { ReadId } from '../reads/table.ts'
import type { Answered } from './answered.ts'

export interface CallOptions {
  /** Ends the wait. Asks on behalf of other callers continue. */
  readonly signal?: AbortSignal | undefined
  /** Asks the super validators now, past mirror and cache. A daemon counts it as a cache miss. */
  readonly live?: boolean | undefined
  /** Wants an answer that was agreed, or true, at this time or later. A time in the future rejects with `behind`. */
  readonly notBefore?: Date | undefined
}

/** The reads that can be asked without any arguments. */
type Bare = { [Id in ReadId]: Record<never, never> extends Arguments<Id> ? Id : never }[ReadId]

/**
 * The arguments that follow the id of a read. An id that is only known at run time takes any parameters. The conditions must not be
 * distributive: otherwise a generic function could not pass its own `Id` on.
 */
type Call<Id extends ReadId> = [ReadId] extends [Id]
  ? [params?: AnyArguments, options?: CallOptions]
  : [Id] extends [Bare]
    ? [params?: Arguments<Id>, options?: CallOptions]
    : [params: Arguments<Id>, options?: CallOptions]

/** Asks a read that is chosen at run time. `read('getDsoInfo')` is the same as `getDsoInfo()`. */
type ReadById = <Id extends ReadId>(id: Id, ...call: Call<Id>) => Promise<Answered<Value<Id>>>

/**
 * A method for each row of the table of reads (`docs/reads.md`), named as the operation in Splice's scan.yaml, and `read`
 * for all of them. A bad question rejects before anybody is asked.
 */
export type ReadMethods = {
  readonly [Id in ReadId]: (...args: Call<Id>) => Promise<Answered<Value<Id>>>
} & {
  readonly read: ReadById
}

/** Asks one question. Resolves with the agreed answer in the row's own shape. */
export type AskDaemon = (id: ReadId, given: AnyArguments, options: CallOptions) => Promise<Answered<unknown>>

/** Builds the methods of all reads on one function that asks. */
export function methodsOver(ids: readonly ReadId[], ask: AskDaemon): ReadMethods {
  const read = async (id: ReadId, given: AnyArguments = {}, options: CallOptions = {}) =>
    ask(id, given, options)
  const methods = ids.map(
    (id) => [id, (given?: AnyArguments, options?: CallOptions) => read(id, given, options)] as const,
  )
  return { ...Object.fromEntries(methods), read } as unknown as ReadMethods
}

/** Makes `console.log` of Node, Deno and Bun print one line, not a function for each read. */
export function printedAs<Printed extends object>(object: Printed, line: string): Printed {
  return Object.defineProperty(object, Symbol.for('nodejs.util.inspect.custom'), { value: () => line })
}
