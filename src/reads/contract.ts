import { z } from 'zod'
import { isJsonObject, type Json } from '../lib/canonical-json.ts'
import { compareCodePoints } from './code-points.ts'
import { instantKey, isTime } from './instant.ts'

/** A member that may be absent or null on the wire. The daemon serves it as an explicit null, as Splice does. */
export function optional<Value>(schema: z.ZodType<Value>) {
  return schema.nullable().default(null)
}

/** A UTC time as Splice writes it. */
export const isoTime = z.string().refine(isTime)

/** Ledger content. The vote covers all of it. */
export const jsonObject = z.custom<{ readonly [key: string]: Json }>(isJsonObject)

/** `Contract` of Splice's common-external.yaml. */
export const contract = z.object({
  template_id: z.string(),
  contract_id: z.string(),
  payload: jsonObject,
  created_event_blob: z.string(),
  created_at: isoTime,
})

export type ScanContract = z.infer<typeof contract>

/** `ContractWithState`. The domain is null while the contract is being reassigned. */
export const contractWithState = z.object({ contract, domain_id: optional(z.string()) })

export type ContractWithState = z.infer<typeof contractWithState>

/** Orders contracts by creation time, then by id. */
export function byCreation(a: ScanContract, b: ScanContract): number {
  return (
    compareCodePoints(instantKey(a.created_at), instantKey(b.created_at)) ||
    compareCodePoints(a.contract_id, b.contract_id)
  )
}

/** Returns a key that sorts like the latest creation time; undefined if there are no contracts. */
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
