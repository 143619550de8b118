import type { AnyArguments, Arguments, Value } from '../reads/arguments.ts'
import type { ReadId } from '../reads/table.ts'
import type { Answered } from './answered.ts'

export interface CallOptions {
  /**
   * When this signal aborts, the call rejects. If other callers wait for the same answer, the requests to the
   * super validators continue for them.
   */
  readonly signal?: AbortSignal | undefined
  /**
   * If true, the super validators are asked now, and the answer comes from no mirror and no cache. A daemon
   * counts the call as a cache miss. False by default.
   */
  readonly live?: boolean | undefined
  /**
   * The earliest time at which a quorum may have agreed on the answer. For an answer of a mirror: the
   * earliest time at which the answer may have been true. A call with a time in the future rejects with
   * `behind`.
   */
  readonly notBefore?: Date | undefined
}

/** The ids of the reads that can be called without any parameters. */
type Bare = { [Id in ReadId]: Record<never, never> extends Arguments<Id> ? Id : never }[ReadId]

/**
 * The arguments of a call after the id of the read. If the id is known only at run time, any parameters are
 * allowed. The brackets in `[Id] extends [Bare]` make the type check a union of ids as a whole. Without them,
 * a generic function could not pass on its own `Id`.
 */
type Call<Id extends ReadId> = [ReadId] extends [Id]
  ? [params?: AnyArguments, options?: CallOptions]
  : [Id] extends [Bare]
    ? [params?: Arguments<Id>, options?: CallOptions]
    : [params: Arguments<Id>, options?: CallOptions]

/**
 * The type of the method `read`, whose caller chooses the read at run time. `read('getDsoInfo')` is the same
 * as `getDsoInfo()`.
 */
type ReadById = <Id extends ReadId>(id: Id, ...call: Call<Id>) => Promise<Answered<Value<Id>>>

/**
 * A method for each read (`docs/reads.md`), and the method `read`, which can call each of them by id. A
 * method rejects a bad question without sending it.
 */
export type ReadMethods = {
  readonly [Id in ReadId]: (...args: Call<Id>) => Promise<Answered<Value<Id>>>
} & {
  readonly read: ReadById
}

/**
 * Asks a question. Resolves with the agreed answer; if it is a value, it has the shape that the read
 * prescribes.
 */
export type AskDaemon = (id: ReadId, given: AnyArguments, options: CallOptions) => Promise<Answered<unknown>>

/** Makes the methods of all reads. Each method calls `ask` with the id of its read. */
export function methodsOver(ids: readonly ReadId[], ask: AskDaemon): ReadMethods {
  const read = async (id: ReadId, given: AnyArguments = {}, options: CallOptions = {}) =>
    ask(id, given, options)
  const methods = ids.map(
    (id) => [id, (given?: AnyArguments, options?: CallOptions) => read(id, given, options)] as const,
  )
  return { ...Object.fromEntries(methods), read } as unknown as ReadMethods
}

/**
 * Makes `console.log` of Node, Deno and Bun print an object as this one line, instead of a list of all its
 * methods.
 */
export function printedAs<Printed extends object>(object: Printed, line: string): Printed {
  return Object.defineProperty(object, Symbol.for('nodejs.util.inspect.custom'), { value: () => line })
}
