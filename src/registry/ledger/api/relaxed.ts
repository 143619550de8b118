import { z } from 'zod'
import { PlainError } from '../../../base/errors/canton.ts'
import { hasMoreValues, mostValues, parseJsonText } from '../../../base/lib/parse-json-text.ts'

// The schemas of this file decode requests as Canton's JSON API does (CirceRelaxedCodec.scala).
// They ignore unknown fields. A missing field gets its Protocol Buffers default, unless Canton
// requires the field.

export const requiredInt64 = z.preprocess(
  (given) => (typeof given === 'string' && /^-?\d{1,19}$/.test(given) ? Number(given) : given),
  z.int(),
)
export const optionalInt64 = optional(requiredInt64)
export const flag = z.boolean().default(false)
export const text = z.string().default('')

export const bytes = z
  .string()
  .default('')
  .transform((given, ctx): Buffer => {
    const decoded = Buffer.from(given, 'base64')
    if (decoded.toString('base64') === given) return decoded
    ctx.issues.push({ code: 'custom', message: 'not base64', input: given })
    return z.NEVER
  })

export function optional<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined)
}

/**
 * Returns a schema for an object with exactly one field, whose name selects the schema of its
 * value: `{"WildcardFilter": {}}`.
 */
export function oneOf<T>(cases: Readonly<Record<string, z.ZodType<T>>>) {
  return z
    .record(z.string(), z.unknown())
    .default({ Empty: {} })
    .transform((given, ctx): T => {
      const [name = '', ...others] = Object.keys(given)
      const schema = Object.hasOwn(cases, name) ? cases[name] : undefined
      if (schema === undefined || others.length > 0) {
        const message = `not exactly one of ${Object.keys(cases).join(', ')}`
        ctx.issues.push({ code: 'custom', message, input: given })
        return z.NEVER
      }
      const parsed = schema.safeParse(given[name], { error: sayMissing })
      if (parsed.success) return parsed.data
      for (const { message, path } of parsed.error.issues)
        ctx.issues.push({ code: 'custom', message, path: [name, ...path], input: given })
      return z.NEVER
    })
}

/** @throws PlainError `invalidBody` with the first problem and the path of its field. */
export function decode<S extends z.ZodType>(schema: S, body: string): z.output<S> {
  const parsed = schema.safeParse(parse(body), { error: sayMissing })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = pathText(issue?.path ?? [])
  throw new PlainError('invalidBody', { why: `${issue?.message}${where === '' ? '' : ` at '${where}'`}` })
}

function parse(body: string): unknown {
  // The values are counted before the body is decoded. A schema collects the problems of all
  // values, which takes seconds for a million wrong values.
  if (hasMoreValues(body, mostValues))
    throw new PlainError('invalidBody', { why: `more than ${mostValues} values` })
  try {
    return parseJsonText(body)
  } catch (error) {
    throw new PlainError('invalidBody', { why: (error as SyntaxError).message }, { cause: error })
  }
}

function sayMissing({ input }: { readonly input?: unknown }): string | undefined {
  return input === undefined ? 'Missing required field' : undefined
}

function pathText(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
  return steps.join('').replace(/^\./, '')
}
