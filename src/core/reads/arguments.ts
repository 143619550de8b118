import { SpliceError } from '../../base/errors/splice.ts'
import type { Endpoint } from './endpoint.ts'
import type { endpoints, ReadId } from './endpoints.ts'
import type { ParseParam, PlainParam } from './param-text.ts'
import type { Is } from './pattern.ts'
import type { Params } from './read.ts'

type ParamValue<P> =
  P extends Is<infer Value> ? (P extends { readonly list: true } ? readonly Value[] : Value) : never

type NameOf<P> = P extends { readonly name: infer Name extends string } ? Name : never

type Flat<T> = { [Key in keyof T]: T[Key] }

type ArgumentsOf<Of, Body> = Flat<
  {
    readonly [P in Of as P extends { readonly required: true } ? NameOf<P> : never]: ParamValue<P>
  } & {
    readonly [P in Of as P extends { readonly required: true } ? never : NameOf<P>]?:
      | ParamValue<P>
      | undefined
  } & ([Body] extends [never] ? unknown : { readonly body: Body })
>

/**
 * The arguments that callers pass for a read: each parameter by name, and `body` if the read takes
 * one.
 */
export type Arguments<Id extends ReadId> = Id extends ReadId
  ? (typeof endpoints)[Id] extends Endpoint<unknown, infer Given, infer Body>
    ? ArgumentsOf<Given[number], Body>
    : never
  : never

export type AnyArguments = Readonly<Record<string, unknown>>

interface ParsedParam extends PlainParam {
  readonly parse: ParseParam
}

export function paramTexts(params: readonly ParsedParam[], given: AnyArguments): Params {
  const texts: Record<string, string> = {}
  for (const param of params) {
    const text = textOf(param, given[param.name])
    if (text !== undefined) texts[param.name] = text
    else if (param.required) throw new SpliceError('missingQueryParameter', { name: param.name })
  }
  return texts
}

function textOf(param: ParsedParam, given: unknown): string | undefined {
  const { parse, list } = param
  if (given === undefined) return undefined
  if (list === undefined) return parse(written(param, given))
  const each = new Set((Array.isArray(given) ? given : [given]).map((one) => parse(written(param, one))))
  return each.size === 0 ? undefined : JSON.stringify([...each].sort())
}

function written({ name, in: place, kind }: ParsedParam, value: unknown): string {
  const isNumber = !['text', 'party', 'instant'].includes(kind)
  if (typeof value === 'string') return value
  const isNumeric = typeof value === 'number' || typeof value === 'bigint'
  if (isNumber && isNumeric) return String(value)
  const malformed = place === 'path' ? 'malformedPathParameter' : 'malformedQueryParameter'
  throw new SpliceError(malformed, {
    name,
    value: isNumeric ? String(value) : describe(value),
    what: isNumber ? 'text or number' : `text${isNumeric ? ', but a number' : ''}`,
  })
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  if (value instanceof Date) return 'Date'
  return typeof value === 'boolean' || value === null ? String(value) : typeof value
}
