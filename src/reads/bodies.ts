import { z } from 'zod'
import { SpliceError } from '../errors/splice.ts'
import { canonicalInstant } from './instant.ts'
import { isParty, parseParty } from './party.ts'

const maxText = 2066

/** A member that may be null or absent. Both make the same question. */
export function maybe<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined)
}

/** A time with an offset from UTC, which the question contains converted to UTC. */
export const time = z.string().transform((text, context) => {
  const known = canonicalInstant(text)
  if (known !== undefined) return known
  context.addIssue({ code: 'custom', message: 'not a time of ISO 8601 with its offset' })
  return z.NEVER
})

export const text = z.string().max(maxText)

/** Sorted texts without duplicates, because neither order nor duplicates change a scan's answer. */
export const texts = z.array(text).transform((all) => [...new Set(all)].sort())

export const parties = z
  .array(z.string().refine(isParty, 'not a party id'))
  .min(1, 'at least one party is needed')
  .transform((all) => [...new Set(all)].sort())

export const party = z.string().transform((id) => parseParty(id))

/**
 * The maximum number of items in an answer: 1 to 1000.
 * @throws SpliceError with Splice's text for any other number.
 */
export const pageSize = z.int().transform((size) => {
  if (size < 1) throw new SpliceError('limitTooSmall')
  if (size > 1000) throw new SpliceError('limitExceeded', { value: size, limit: 1000 })
  return size
})

/** Rejects a page token of a scan: it is a row number in that scan's own database. */
export function noToken(instead: string) {
  return z
    .unknown()
    .optional()
    .transform((token) => {
      if (token === undefined || token === null) return undefined
      throw new SpliceError('notAgreeable', { why: localToken, instead })
    })
}

export const localToken = 'A page token is the number of a row in one scan, and means nothing to the others.'
