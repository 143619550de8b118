import type { AnyArguments, Arguments } from '../core/reads/arguments.ts'
import type { ReadId, Value } from '../core/reads/endpoints.ts'
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

/** The reads among these that cannot be called without arguments. */
type NotBare<Id extends ReadId> = Id extends ReadId
  ? Record<never, never> extends Arguments<Id>
    ? never
    : Id
  : never

/**
 * The arguments of a call after the id of the read. The brackets check a union of ids as a whole:
 * otherwise a generic function could not pass on its own `Id`.
 */
type CallArguments<Id extends ReadId> = [ReadId] extends [Id]
  ? [params?: AnyArguments, options?: CallOptions]
  : [NotBare<Id>] extends [never]
    ? [params?: Arguments<Id>, options?: CallOptions]
    : [params: Arguments<Id>, options?: CallOptions]

/**
 * Calls a read that the program chooses at run time: `read('getDsoInfo')` equals `getDsoInfo()`.
 */
type ReadById = <Id extends ReadId>(id: Id, ...call: CallArguments<Id>) => Promise<Answered<Value<Id>>>

interface NameMethods {
  /** Returns the party that a name belongs to. Undefined if a quorum agrees that nobody has the name. */
  readonly resolve: (name: string, options?: CallOptions) => Promise<string | undefined>
  /** Returns the names of a party: none, or the first by code point, because scans tell no others. */
  readonly namesOf: (party: string, options?: CallOptions) => Promise<readonly string[]>
}

/**
 * A method for each read (`docs/reads.md`), `read`, which calls each of them by id, and shorter ones
 * for names. A method rejects a bad question without sending it.
 */
export type ReadMethods = {
  readonly [Id in ReadId]: (...args: CallArguments<Id>) => Promise<Answered<Value<Id>>>
} & NameMethods & {
    readonly read: ReadById
  }

export type AskDaemon = (id: ReadId, given: AnyArguments, options: CallOptions) => Promise<Answered<unknown>>

export function methodsOver(ids: readonly ReadId[], ask: AskDaemon): ReadMethods {
  const read = async (id: ReadId, given: AnyArguments = {}, options: CallOptions = {}) =>
    ask(id, given, options)
  const methods = ids.map(
    (id) => [id, (given?: AnyArguments, options?: CallOptions) => read(id, given, options)] as const,
  )
  const own = { ...Object.fromEntries(methods), read } as unknown as ReadMethods
  const names: NameMethods = {
    resolve: async (name, options) => (await own.lookupAnsEntryByName({ name }, options)).value?.entry.user,
    namesOf: async (party, options) => {
      const { value } = await own.lookupAnsEntryByParty({ party }, options)
      return value === undefined ? [] : [value.entry.name]
    },
  }
  return { ...own, ...names }
}

/** Makes `console.log` of Node, Deno and Bun print this line instead of a list of all methods. */
export function printedAs<Printed extends object>(object: Printed, line: string): Printed {
  return Object.defineProperty(object, Symbol.for('nodejs.util.inspect.custom'), { value: () => line })
}
