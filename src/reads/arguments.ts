import type { z } from 'zod'
import { SpliceError } from '../errors/splice.ts'
import { canonicalJson, type Json } from '../lib/canonical-json.ts'
import type { Param, Params, Read, RequestBody, TypedRead } from './read.ts'
import { bodyParam } from './request.ts'
import type { ReadId, reads } from './table.ts'

type Row<Id extends ReadId> = (typeof reads)[Id]

type Types<Id extends ReadId> =
  Row<Id> extends TypedRead<infer Value, infer Given, infer Schema>
    ? { value: Value; params: Given[number]; body: Schema }
    : never

type Written<P> =
  P extends Param<string, infer Value>
    ? P extends { readonly list: true }
      ? readonly Value[]
      : Value
    : never

type Named<P> = P extends { readonly name: infer Name extends string } ? Name : never

type Flat<T> = { [Key in keyof T]: T[Key] }

/** The arguments of a read: each parameter by name, and `body` if the read takes one. */
export type Arguments<Id extends ReadId> = Flat<
  {
    readonly [P in Types<Id>['params'] as P extends { readonly required: true }
      ? Named<P>
      : never]: Written<P>
  } & {
    readonly [P in Types<Id>['params'] as P extends { readonly required: true } ? never : Named<P>]?:
      | Written<P>
      | undefined
  } & ([Types<Id>['body']] extends [z.ZodNever] ? unknown : { readonly body: z.input<Types<Id>['body']> })
>

/** The value on which a quorum agrees in reply to a read. */
export type Value<Id extends ReadId> = Types<Id>['value']

/** Arguments whose types are not checked yet. */
export type AnyArguments = Readonly<Record<string, unknown>>

/**
 * Checks the arguments of a read as in a request, and returns the parameters as canonical texts.
 * @throws SpliceError 400 or 404 with Splice's texts; 501 for an argument whose answer differs from node to node.
 */
export function paramsOf(read: Read, given: AnyArguments): Params {
  const params: Record<string, string> = {}
  for (const param of read.params) {
    const text = textOf(param, given[param.name])
    if (text !== undefined) params[param.name] = text
    else if (param.required) throw new SpliceError('missingQueryParameter', { name: param.name })
  }
  if (read.body !== undefined) params[bodyParam] = canonicalBody(read.body, given[bodyParam])
  return params
}

/**
 * Returns the canonical text of a body that is part of a question. Members that the schema does not know are dropped
 * and defaults are filled in, so that equal questions have equal texts.
 * @throws SpliceError 400, and any error that the schema throws.
 */
export function canonicalBody({ schema }: RequestBody, given: unknown): string {
  if (given === undefined) throw new SpliceError('missingBody')
  const parsed = schema.safeParse(given)
  if (parsed.success) return canonicalJson(parsed.data as Json)
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.') ?? ''
  throw new SpliceError('malformedBody', { why: `${where === '' ? 'the body' : where}: ${issue?.message}` })
}

function textOf({ parse, list }: Param, given: unknown): string | undefined {
  if (given === undefined) return undefined
  if (list === undefined) return parse(String(given))
  const each = new Set((Array.isArray(given) ? given : [given]).map((one) => parse(String(one))))
  return each.size === 0 ? undefined : JSON.stringify([...each].sort())
}
