import type { Leaf } from './leaves.ts'

/**
 * The shape of a JSON value, as data without code. `reading.ts` reads values by it, in the daemon and
 * in browsers; `schema.ts` makes a schema of it for bodies of callers and for OpenAPI.
 */
export type Pattern =
  | Leaf
  | { readonly list: Pattern }
  /** A list of strings whose order means nothing. */
  | { readonly set: Pattern }
  | { readonly record: Pattern }
  | { readonly object: Members }
  /** A contract of a scan: an object with the members `template_id` and `payload`. */
  | { readonly contract: Pattern }
  | { readonly nullable: Pattern }
  | { readonly optional: Pattern }
  | { readonly default: Plain; readonly of: Pattern }
  /** Any value that fits `of` is read as the constant. */
  | { readonly constant: Plain; readonly of: Pattern }
  /** `tag` is the member by which the kinds differ, if one does. */
  | { readonly firstOf: readonly Pattern[]; readonly tag?: string }
  | { readonly oneOf: readonly Plain[] }
  /** A string of at most this many characters, or a list of at most this many elements. */
  | { readonly atMost: number; readonly of: Pattern }
  | { readonly atLeast: number; readonly of: Pattern }
  | BodyPattern

/** These patterns occur only in the body of a question. */
type BodyPattern =
  /** A member that may be null or absent. Both make the same question. */
  | ({ readonly maybe: Pattern } & Maybe)
  /** A list of which neither order nor duplicates change a scan's answer. */
  | { readonly choice: Pattern }
  /**
   * A page token, which the daemon always rejects. The string tells the caller what to do instead.
   */
  | { readonly refused: string }

/** `otherwise` is read where the member is null or absent, `always` whatever it is. */
export interface Maybe {
  readonly otherwise?: Plain
  readonly always?: Plain
}

type Members = Readonly<Record<string, Pattern>>

export type Plain = null | boolean | number | string

/** A pattern of values of this type, which only the compiler sees. */
export type PatternOf<Value> = Pattern & Is<Value>

export interface Is<Value> {
  readonly is?: Value
}

/** The type of the values that fit a pattern. */
export type TypeOf<P> = P extends Is<infer Value> ? Value : never

/** A member that an object may lack. */
type MayLack = { readonly optional: Pattern } | { readonly maybe: Pattern } | { readonly refused: string }

type Flat<T> = { [Key in keyof T]: T[Key] } & {}

type ObjectValue<M> = Flat<
  { -readonly [Key in keyof M as M[Key] extends MayLack ? never : Key]: TypeOf<M[Key]> } & {
    -readonly [Key in keyof M as M[Key] extends MayLack ? Key : never]?: TypeOf<M[Key]> | undefined
  }
>

function pattern<Value>(of: Pattern): PatternOf<Value> {
  return of as PatternOf<Value>
}

export const string = leaf<string>('string')
export const boolean = leaf<boolean>('boolean')
export const integer = leaf<number>('integer')

export function leaf<Value>(name: Leaf): PatternOf<Value> {
  return pattern(name)
}

export function object<M extends Members>(members: M): { readonly object: M } & Is<ObjectValue<M>> {
  return { object: members }
}

export function list<Value>(element: PatternOf<Value>): PatternOf<Value[]> {
  return pattern({ list: element })
}

export function record<Value>(member: PatternOf<Value>): PatternOf<Record<string, Value>> {
  return pattern({ record: member })
}

export function literal<const Value extends string>(...values: readonly Value[]): PatternOf<Value> {
  return pattern({ oneOf: values })
}

/** The first of these kinds that fits. */
export function firstOf<const Kinds extends readonly Pattern[]>(
  ...kinds: Kinds
): PatternOf<TypeOf<Kinds[number]>> {
  return pattern({ firstOf: kinds })
}

/** The kind of these whose member of this name fits. */
export function firstBy<const Kinds extends readonly Pattern[]>(
  tag: string,
  ...kinds: Kinds
): PatternOf<TypeOf<Kinds[number]>> {
  return pattern({ firstOf: kinds, tag })
}

/** A field that the daemon fills in where a scan omits it. */
export function withDefault<Value extends Plain>(of: PatternOf<Value>, value: Value): PatternOf<Value> {
  return pattern({ default: value, of })
}

export function nullable<Value>(of: PatternOf<Value>): PatternOf<Value | null> {
  return pattern({ nullable: of })
}

/**
 * A field that a scan may omit or set to null. The daemon serves null in both cases, as Splice
 * does.
 */
export function optional<Value>(of: PatternOf<Value>): PatternOf<Value | null> {
  return pattern({ default: null, of: nullable(of) })
}

/** A field that the daemon leaves out where a scan does. */
export function omittable<Value>(of: PatternOf<Value>): { readonly optional: Pattern } & Is<Value> {
  return { optional: of }
}

export function atMost<Value extends string | readonly unknown[]>(
  length: number,
  of: PatternOf<Value>,
): PatternOf<Value> {
  return pattern({ atMost: length, of })
}

/** A list of one or more elements. */
export function atLeastOne<Element>(of: PatternOf<Element[]>): PatternOf<Element[]> {
  return pattern({ atLeast: 1, of })
}
