import { z } from 'zod'
import { isJsonObject, type Json } from '../lib/canonical-json.ts'
import { compareCodePoints } from './code-points.ts'
import { instantKey, isTime } from './instant.ts'

/**
 * Makes the schema of a field that a scan may omit or set to null. The daemon serves null in both cases, as
 * Splice does.
 */
export function optional<Value>(schema: z.ZodType<Value>) {
  return schema.nullable().default(null)
}

/** The schema of a UTC time as Splice writes it. */
export const isoTime = z.string().refine(isTime)

/** The schema of a JSON object from the ledger, such as a contract's payload. The vote covers all its content. */
export const jsonObject = z.custom<{ readonly [key: string]: Json }>(isJsonObject)

/** The schema of `Contract` in Splice's common-external.yaml. */
export const contract = z.object({
  template_id: z.string(),
  contract_id: z.string(),
  payload: jsonObject,
  created_event_blob: z.string(),
  created_at: isoTime,
})

export type ScanContract = z.infer<typeof contract>

/**
 * The schema of `ContractWithState` in Splice's common-internal.yaml. The domain is null while the contract is being
 * reassigned.
 */
export const contractWithState = z.object({ contract, domain_id: optional(z.string()) })

export type ContractWithState = z.infer<typeof contractWithState>

/** Orders contracts by creation time, then by id. */
export function byCreation(a: ScanContract, b: ScanContract): number {
  return (
    compareCodePoints(instantKey(a.created_at), instantKey(b.created_at)) ||
    compareCodePoints(a.contract_id, b.contract_id)
  )
}

/**
 * Returns the creation time of the newest of these contracts, as a text that sorts like the time. Undefined
 * if there are no contracts.
 */
export function newestOf(contracts: readonly ScanContract[]): string | undefined {
  let newest: string | undefined
  for (const { created_at } of contracts) {
    const key = instantKey(created_at)
    if (newest === undefined || key > newest) newest = key
  }
  return newest
}

/** Returns a text field of the payload, such as a party; undefined if the field is not a text. */
export function textIn({ payload }: ScanContract, field: string): string | undefined {
  const value = payload[field]
  return typeof value === 'string' ? value : undefined
}
