import type { z } from 'zod'
import { SpliceError } from '../errors/splice.ts'
import { canonicalJson, type Json } from '../lib/canonical-json.ts'
import { issueText, valueAt } from '../lib/issue-text.ts'
import { checkListLength } from './page-size.ts'
import type { ParseParam, PlainParam } from './param-text.ts'
import type { Param, Params, Read, RequestBody, TypedRead } from './read.ts'
import { bodyParam } from './request.ts'
import type { ReadId, reads } from './table.ts'

type ReadRow<Id extends ReadId> = (typeof reads)[Id]

type Types<Id extends ReadId> =
  ReadRow<Id> extends TypedRead<infer Value, infer Given, infer Schema>
    ? { value: Value; params: Given[number]; body: Schema }
    : never

type ParamValue<P> =
  P extends Param<string, infer Value>
    ? P extends { readonly list: true }
      ? readonly Value[]
      : Value
    : never

type NameOf<P> = P extends { readonly name: infer Name extends string } ? Name : never

type Flat<T> = { [Key in keyof T]: T[Key] }

type ArgumentsOf<T extends { params: unknown; body: unknown }> = Flat<
  {
    readonly [P in T['params'] as P extends { readonly required: true } ? NameOf<P> : never]: ParamValue<P>
  } & {
    readonly [P in T['params'] as P extends { readonly required: true } ? never : NameOf<P>]?:
      | ParamValue<P>
      | undefined
  } & ([T['body']] extends [z.ZodNever] ? unknown : { readonly body: z.input<T['body']> })
>

/**
 * The arguments that callers pass for a read: each parameter by name, and `body` if the read takes
 * one.
 */
export type Arguments<Id extends ReadId> = Id extends ReadId ? ArgumentsOf<Types<Id>> : never

/** The type of the value of a read, on which a quorum agrees. */
export type Value<Id extends ReadId> = Id extends ReadId ? Types<Id>['value'] : never

export type AnyArguments = Readonly<Record<string, unknown>>

interface ParsedParam extends PlainParam {
  readonly parse: ParseParam
}

/**
 * Checks arguments, and returns the parameters as canonical texts.
 * @throws SpliceError 400 or 404 with Splice's texts; 501 for a page token that only one scan
 * understands.
 */
export function paramsOf(read: Read, given: AnyArguments): Params {
  const params = paramTexts(read.params, given)
  return read.body === undefined
    ? params
    : { ...params, [bodyParam]: canonicalBody(read.body, given[bodyParam]) }
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

/**
 * Returns the canonical text of a request body. Unknown fields are dropped and defaults are filled
 * in, so that equal questions have equal texts.
 * @throws SpliceError 400, and any error that the schema throws.
 */
export function canonicalBody(body: RequestBody, given: unknown): string {
  const { schema } = body
  if (given === undefined) throw new SpliceError('missingBody')
  const parsed = schema.safeParse(given)
  if (parsed.success) return canonicalJson(parsed.data as Json)
  const withNumbers = readNumbers(given, parsed.error.issues)
  if (withNumbers !== given) return canonicalBody(body, withNumbers)
  const [issue] = parsed.error.issues
  if (issue?.code === 'too_big' && issue.origin === 'array')
    checkListLength(issue.path.join('.'), valueAt(given, issue.path) as readonly unknown[])
  throw new SpliceError('malformedBody', {
    why: issue === undefined ? 'the body has another form' : issueText(issue, given, 'the body'),
  })
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** No body has as many numbers, apart from its lists. */
const mostNumbers = 20

/** Splice takes a number as a text, too: `"page_size": "10"`. */
function readNumbers(given: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  return issues.slice(0, mostNumbers).reduce((body, issue) => {
    const text = valueAt(given, issue.path)
    const isNumber = issue.code === 'invalid_type' && ['number', 'int'].includes(issue.expected)
    return isNumber && typeof text === 'string' && jsonNumber.test(text)
      ? withValue(body, issue.path, Number(text))
      : body
  }, given)
}

function withValue(tree: unknown, [key, ...rest]: readonly PropertyKey[], value: number): unknown {
  if (key === undefined) return value
  const inner = withValue((tree as Record<PropertyKey, unknown>)[key], rest, value)
  return Array.isArray(tree) ? tree.with(Number(key), inner) : { ...(tree as object), [key]: inner }
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
