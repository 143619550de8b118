import { z } from 'zod'
import { isJsonObject, type Json } from '../lib/canonical-json.ts'
import { isoTime } from './instant.ts'

/** A member that may be left out or null on the wire, and is an explicit null when served (Splice prints it so). */
export function optional<Value>(schema: z.ZodType<Value>) {
  return schema.nullable().default(null)
}

const jsonObject = z.custom<{ readonly [key: string]: Json }>(isJsonObject)

/** `Contract` of Splice's common-external.yaml. The payload is ledger content: the whole of it is voted on. */
export const contract = z.object({
  template_id: z.string(),
  contract_id: z.string(),
  payload: jsonObject,
  created_event_blob: z.string(),
  created_at: isoTime,
})
