import { z } from 'zod'
import { canonicalInstant, isInstant } from './instant.ts'
import { checkedSize, longestList } from './page-size.ts'
import { maxText, rejectToken } from './param-text.ts'
import { isParty, parseParty } from './party.ts'
import type { Pattern } from './pattern.ts'
import { patternOf } from './pattern-of.ts'

/**
 * Patterns of schemas whose transformation also checks the value, so that `patternOf` cannot derive
 * them.
 */
const declared = new WeakMap<object, Pattern>()

function declare<Schema extends z.ZodType>(pattern: Pattern, schema: Schema): Schema {
  declared.set(schema, pattern)
  return schema
}

export function bodyPatternOf(schema: z.core.$ZodType): Pattern {
  return patternOf(schema, (one) => {
    const { def } = (one as z.core.$ZodTypes)._zod
    if (declared.has(one)) return declared.get(one)
    if (def.type === 'pipe') return bodyPatternOf(def.in)
    return def.type === 'object' && def.catchall !== undefined ? 'json object' : undefined
  })
}

/** A field that may be null or absent. Both make the same question. */
export function maybe<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined)
}

export const time = z
  .string()
  .refine(isInstant, 'not a time of ISO 8601 with its offset')
  .transform((text) => canonicalInstant(text) ?? text)

export const text = z.string().max(maxText)

/**
 * A list of texts, sorted and without duplicates: neither order nor duplicates change a scan's
 * answer.
 */
export const texts = z
  .array(text)
  .max(longestList)
  .transform((all) => [...new Set(all)].sort())

export const parties = z
  .array(z.string().refine(isParty, 'not a party id'))
  .min(1, 'at least one party is needed')
  .max(longestList)
  .transform((all) => [...new Set(all)].sort())

export const party = declare('party', z.string().transform(parseParty))

export const pageSize = declare('page size', z.int().transform(checkedSize))

export function noToken(instead: string) {
  const schema = z
    .unknown()
    .optional()
    .transform((token) => (token === undefined || token === null ? undefined : rejectToken(instead)))
  return declare({ optional: { nullable: { refused: instead } } }, schema)
}
