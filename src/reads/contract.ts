import { z } from 'zod'
import { isJsonObject, type Json } from '../lib/canonical-json.ts'
import { compareCodePoints } from './code-points.ts'
import { decimalText } from './decimal.ts'
import { instantKey, isInstant, timeText } from './instant.ts'
import { inOrder } from './pattern.ts'
import { payloadInOneText } from './payload.ts'
import { membersWithoutVote } from './releases.ts'

/**
 * A field that a scan may omit or set to null. The daemon serves null in both cases, as Splice
 * does.
 */
export function optional<Value>(schema: z.ZodType<Value>) {
  return schema.nullable().default(null)
}

export const isoTime = z.string().refine(isInstant).overwrite(timeText)
export const decimal = z.string().overwrite(decimalText)
/** A set of texts, which scans may print in any order. */
export const setOfTexts = z.array(z.string()).overwrite(inOrder)

/** A member of `membersWithoutVote`. Whatever a scan gives is read as the constant. */
export function withoutVote<Schema extends z.ZodType>(
  name: keyof typeof membersWithoutVote,
  schema: Schema,
): Schema {
  const constant = membersWithoutVote[name]
  return schema.overwrite(Object.assign((): never => constant as never, { constant }))
}

/** One of these texts, or one that a newer release added, which the type does not show. */
export function oneOf<const Known extends string>(..._known: readonly Known[]): z.ZodType<Known> {
  return z.string() as z.ZodType<string> as z.ZodType<Known>
}

export const jsonObject = z.custom<{ readonly [key: string]: Json }>(isJsonObject)

/** `Contract` in Splice's common-external.yaml. */
export const contract = z
  .object({
    template_id: z.string(),
    contract_id: z.string(),
    payload: jsonObject,
    created_event_blob: z.string(),
    created_at: isoTime,
  })
  .overwrite(payloadInOneText)

export type ScanContract = z.infer<typeof contract>

/**
 * `ContractWithState` in Splice's common-internal.yaml. The domain is null while the contract is
 * being reassigned.
 */
export const contractWithState = z.object({ contract, domain_id: optional(z.string()) })

export type ContractWithState = z.infer<typeof contractWithState>

export function byCreation(a: ScanContract, b: ScanContract): number {
  return (
    compareCodePoints(instantKey(a.created_at), instantKey(b.created_at)) ||
    compareCodePoints(a.contract_id, b.contract_id)
  )
}

/** Returns the creation time of the newest contract, as a text that sorts like the time. */
export function newestOf(contracts: readonly ScanContract[]): string | undefined {
  let newest: string | undefined
  for (const { created_at } of contracts) {
    const key = instantKey(created_at)
    if (newest === undefined || key > newest) newest = key
  }
  return newest
}

export function textIn({ payload }: ScanContract, field: string): string | undefined {
  const value = payload[field]
  return typeof value === 'string' ? value : undefined
}
