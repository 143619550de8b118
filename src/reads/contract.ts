import { z } from 'zod'
import { isJsonObject, type Json } from '../lib/canonical-json.ts'
import { compareCodePoints } from './code-points.ts'
import { instantKey, isoTime } from './instant.ts'

/** A member that may be left out or null on the wire, and is an explicit null when served (Splice prints it so). */
export function optional<Value>(schema: z.ZodType<Value>) {
  return schema.nullable().default(null)
}

/** Ledger content: the whole of it is voted on. */
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

/** `ContractWithState`: the domain is null while the contract is being reassigned. */
export const contractWithState = z.object({ contract, domain_id: optional(z.string()) })

export type ContractWithState = z.infer<typeof contractWithState>

/** In the order of their creation; those of one moment by id. */
export function byCreation(a: ScanContract, b: ScanContract): number {
  return (
    compareCodePoints(instantKey(a.created_at), instantKey(b.created_at)) ||
    compareCodePoints(a.contract_id, b.contract_id)
  )
}

/** A field of a contract's payload that is a text, such as a party. */
export function textIn({ payload }: ScanContract, field: string): string | undefined {
  const value = payload[field]
  return typeof value === 'string' ? value : undefined
}
