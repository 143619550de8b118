import type { AnyArguments, Arguments } from '../reads/arguments.ts'
import type { ReadId, Value } from '../reads/endpoints.ts'
import type { Answered } from './answered.ts'

export interface CallOptions {
  /**
   * When this signal aborts, the call rejects. Requests to super validators continue if other
   * callers wait for the same answer.
   */
  readonly signal?: AbortSignal | undefined
  /**
   * If true, the super validators are asked now: no cache and no mirror may answer. False by
   * default. A daemon counts the call as a cache miss.
   */
  readonly live?: boolean | undefined
  /**
   * Accepts only an answer that is new enough: a quorum agreed on it at this time or later. An
   * answer of a mirror must have been true at this time or later. A time in the future rejects with
   * `behind`.
   */
  readonly notBefore?: Date | undefined
}

type Bare = { [Id in ReadId]: Record<never, never> extends Arguments<Id> ? Id : never }[ReadId]

/**
 * The arguments of a call after the id of the read. The brackets in `[Id] extends [Bare]` check a
 * union of ids as a whole: otherwise a generic function could not pass on its own `Id`.
 */
type CallArguments<Id extends ReadId> = [ReadId] extends [Id]
  ? [params?: AnyArguments, options?: CallOptions]
  : [Id] extends [Bare]
    ? [params?: Arguments<Id>, options?: CallOptions]
    : [params: Arguments<Id>, options?: CallOptions]

/**
 * Calls a read that the program chooses at run time: `read('getDsoInfo')` equals `getDsoInfo()`.
 */
type ReadById = <Id extends ReadId>(id: Id, ...call: CallArguments<Id>) => Promise<Answered<Value<Id>>>

/**
 * A method for each read (`docs/reads.md`), and `read`, which calls each of them by id. A method
 * rejects a bad question without sending it.
 */
export type ReadMethods = {
  readonly [Id in ReadId]: (...args: CallArguments<Id>) => Promise<Answered<Value<Id>>>
} & {
  readonly read: ReadById
}

export type AskDaemon = (id: ReadId, given: AnyArguments, options: CallOptions) => Promise<Answered<unknown>>

export function methodsOver(ids: readonly ReadId[], ask: AskDaemon): ReadMethods {
  const read = async (id: ReadId, given: AnyArguments = {}, options: CallOptions = {}) =>
    ask(id, given, options)
  const methods = ids.map(
    (id) => [id, (given?: AnyArguments, options?: CallOptions) => read(id, given, options)] as const,
  )
  return { ...Object.fromEntries(methods), read } as unknown as ReadMethods
}

/** Makes `console.log` of Node, Deno and Bun print this line instead of a list of all methods. */
export function printedAs<Printed extends object>(object: Printed, line: string): Printed {
  return Object.defineProperty(object, Symbol.for('nodejs.util.inspect.custom'), { value: () => line })
}
