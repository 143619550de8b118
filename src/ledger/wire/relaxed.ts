import { z } from 'zod'
import { PlainError } from '../../errors/canton.ts'
import { hasMoreValues, mostValues } from '../../lib/json-values.ts'
import { parseJsonText } from '../../lib/parse-json-text.ts'

// The schemas of this file decode requests as Canton's JSON API does (CirceRelaxedCodec.scala). Unknown
// fields are ignored. A missing field gets the default value of its Protocol Buffers type, unless Canton
// requires it.

/** An integer, either as a JSON number or as a string of decimal digits. */
export const requiredInt64 = z.preprocess(
  (given) => (typeof given === 'string' && /^-?\d{1,16}$/.test(given) ? Number(given) : given),
  z.int(),
)
export const optionalInt64 = optional(requiredInt64)
export const flag = z.boolean().default(false)
export const text = z.string().default('')

/** Bytes in base64 (standard alphabet, with padding). Empty if the field is missing. */
export const bytes = z
  .string()
  .default('')
  .transform((given, ctx): Buffer => {
    const decoded = Buffer.from(given, 'base64')
    if (decoded.toString('base64') === given) return decoded
    ctx.issues.push({ code: 'custom', message: 'not base64', input: given })
    return z.NEVER
  })

/** Makes a schema optional. A null or missing field is decoded to undefined. */
export function optional<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined)
}

/**
 * Returns a schema for `{"Variant": ...}`, an object with exactly one field. The name of the field selects
 * the schema for its value. If the whole object is missing, it is decoded as `{"Empty": {}}`.
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

/**
 * Parses a request body and decodes it by a schema.
 * @throws PlainError `invalidBody` with the first problem and the path of the field that has it.
 */
export function decode<S extends z.ZodType>(schema: S, body: string): z.output<S> {
  const parsed = schema.safeParse(parse(body), { error: sayMissing })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = pathText(issue?.path ?? [])
  throw new PlainError('invalidBody', { why: `${issue?.message}${where === '' ? '' : ` at '${where}'`}` })
}

function parse(body: string): unknown {
  // The values are counted before the body is decoded, because a schema collects the problems of all values.
  // For a million wrong values, that would take seconds.
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

/** Formats the path of a field, such as `commands[0].CreateCommand.templateId`. */
function pathText(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
  return steps.join('').replace(/^\./, '')
}
