import { z } from 'zod'
import { canonicalInstant } from './instant.ts'
import { checkedSize } from './page-size.ts'
import { maxText, rejectToken } from './param-text.ts'
import { isParty, parseParty } from './party.ts'
import { isInstant, type Pattern } from './pattern.ts'
import { patternOf } from './pattern-of.ts'

/**
 * The patterns of some schemas. `patternOf` cannot derive them, because the transformation in the schema also
 * checks the value.
 */
const declared = new WeakMap<object, Pattern>()

function declare<Schema extends z.ZodType>(pattern: Pattern, schema: Schema): Schema {
  declared.set(schema, pattern)
  return schema
}

/** Returns the pattern of the bodies that a schema accepts from callers. */
export function bodyPatternOf(schema: z.core.$ZodType): Pattern {
  return patternOf(schema, (one) => {
    const { def } = (one as z.core.$ZodTypes)._zod
    if (declared.has(one)) return declared.get(one)
    if (def.type === 'pipe') return bodyPatternOf(def.in)
    return def.type === 'object' && def.catchall !== undefined ? 'json object' : undefined
  })
}

/**
 * Makes the schema of a field that may be null or absent. A question in which the field is null equals a
 * question without the field.
 */
export function maybe<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined)
}

/** The schema of a time with an offset from UTC. The question contains the time converted to UTC. */
export const time = z
  .string()
  .refine(isInstant, 'not a time of ISO 8601 with its offset')
  .transform((text) => canonicalInstant(text) ?? text)

export const text = z.string().max(maxText)

/**
 * The schema of a list of texts. It sorts the texts and removes duplicates, because neither order nor
 * duplicates change a scan's answer.
 */
export const texts = z.array(text).transform((all) => [...new Set(all)].sort())

export const parties = z
  .array(z.string().refine(isParty, 'not a party id'))
  .min(1, 'at least one party is needed')
  .transform((all) => [...new Set(all)].sort())

export const party = declare('party', z.string().transform(parseParty))

/**
 * The schema of the maximum number of items in an answer, as a caller requests it: 1 to 1000.
 * @throws SpliceError with Splice's text for any other integer.
 */
export const pageSize = declare('page size', z.int().transform(checkedSize))

/**
 * Makes a schema that rejects any page token. A token is a row number in one scan's own database, so no
 * quorum can agree on the next page.
 * @param instead tells the caller what to do instead.
 */
export function noToken(instead: string) {
  const schema = z
    .unknown()
    .optional()
    .transform((token) => (token === undefined || token === null ? undefined : rejectToken(instead)))
  return declare({ optional: { nullable: { refused: instead } } }, schema)
}
