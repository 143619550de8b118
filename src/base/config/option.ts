import { z } from 'zod'
import type { Milliseconds, OptionKind } from './kinds.ts'

/** Stands for the id of any read in the path of an option, as in `cache.times.<read>.fresh`. */
export const anyRead = '<read>'

export interface OptionNotes {
  readonly says: string
  /** The variable that sets the option, if it is not the one that `variableOf` makes of the key. */
  readonly env?: string
  /** The value of an unset option, in words, if the schema has no default. */
  readonly unset?: string
  readonly secret?: true
  /** Whether a running daemon adopts a new value at SIGHUP. Other options need a restart. */
  readonly reloads?: true
}

export type OptionTree =
  | {
      readonly at: 'option'
      readonly kind: OptionKind
      readonly about: OptionNotes
      readonly default?: unknown
    }
  | { readonly at: 'section'; readonly says: string; readonly shape: Readonly<Record<string, z.ZodType>> }
  | { readonly at: 'reads'; readonly each: z.ZodType }

const nodes = new WeakMap<z.ZodType, OptionTree>()

export function nodeOf(schema: z.ZodType): OptionTree {
  const node = nodes.get(schema)
  if (node === undefined) throw new TypeError('this schema was made without option, section or perRead')
  return node
}

/**
 * Makes the schema of an option. Its default is written as users write values, such as `30s`. An
 * option without a default may be absent.
 */
export function option<S extends z.ZodType>(
  kind: OptionKind<S>,
  about: OptionNotes & { readonly default: z.input<S> },
): z.ZodPrefault<S>
export function option<S extends z.ZodType>(kind: OptionKind<S>, about: OptionNotes): z.ZodExactOptional<S>
export function option(kind: OptionKind, about: OptionNotes & { readonly default?: unknown }): z.ZodType {
  const { default: given, ...rest } = about
  if (given === undefined) return mark(z.exactOptional(kind.schema), { at: 'option', kind, about: rest })
  return mark(z.prefault(kind.schema, given), { at: 'option', kind, about: rest, default: given })
}

type SectionShape = Readonly<Record<string, z.ZodType>>
type Values<S extends SectionShape> = z.output<z.ZodObject<S>>

/**
 * The values of a section as code sees them: a duration `timeout` becomes `timeoutMs`, a number of
 * milliseconds.
 */
type NamedValues<T> = {
  [K in keyof T as K extends string
    ? NonNullable<T[K]> extends Milliseconds
      ? `${K}Ms`
      : K
    : K]: PlainValue<T[K]>
}
type PlainValue<T> = T extends Milliseconds ? number : T

export function fields<S extends SectionShape>(says: string, shape: S) {
  const schema = z
    .strictObject(shape, { error: 'a section with keys of its own' })
    .transform((values) => named(values, shape) as NamedValues<Values<S>>)
  return mark(schema, { at: 'section', says, shape })
}

/** A section that a configuration may omit: its options then have their defaults. */
export function section<S extends SectionShape>(says: string, shape: S) {
  const schema = z.prefault(fields(says, shape), {} as never)
  return mark(schema, { at: 'section', says, shape })
}

/** A section whose keys are ids of reads, all of the same schema. `parseConfig` checks the keys. */
export function perRead<S extends z.ZodType>(each: S) {
  const keys = z.string() as z.ZodType<string, typeof anyRead>
  const schema = z.prefault(
    z.record(keys, z.exactOptional(each), { error: 'a section with a key for each read' }),
    {} as never,
  )
  return mark(schema, { at: 'reads', each })
}

function mark<S extends z.ZodType>(schema: S, node: OptionTree): S {
  nodes.set(schema, node)
  return schema
}

function named(values: Readonly<Record<string, unknown>>, shape: SectionShape): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [isMilliseconds(shape[key]) ? `${key}Ms` : key, value]),
  )
}

function isMilliseconds(schema: z.ZodType | undefined): boolean {
  const node = schema && nodes.get(schema)
  return node?.at === 'option' && node.kind.unit === 'ms'
}
