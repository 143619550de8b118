import type { ContractOf, Template } from './daml/template.ts'
import { withShortDecimals } from './daml/type.ts'
import type { DamlRecord, Micros } from './value.ts'

/** A contract as JSON that conforms to the schema `Contract` in Splice's `common-external.yaml`. */
export interface ContractJson {
  readonly template_id: string
  readonly contract_id: string
  readonly payload: DamlRecord
  readonly created_event_blob: string
  readonly created_at: string
}

export function contractJson<A extends DamlRecord>(
  template: Template<A>,
  { templateId, contractId, argument, createdEventBlob, createdAt }: ContractOf<A>,
): ContractJson {
  return {
    template_id: templateId,
    contract_id: contractId,
    payload: withShortDecimals(template.argument, argument),
    created_event_blob: createdEventBlob,
    created_at: instant(createdAt),
  }
}

/**
 * Formats a time as Java's `Instant` does: with `Z`, and with zero, three or six decimal places.
 */
export function instant(micros: Micros): string {
  const second = Math.floor(micros / 1_000_000)
  const whole = new Date(second * 1_000).toISOString().slice(0, -'.000Z'.length)
  const fraction = micros - second * 1_000_000
  if (fraction === 0) return `${whole}Z`
  const digits = String(fraction).padStart(6, '0')
  return `${whole}.${digits.endsWith('000') ? digits.slice(0, 3) : digits}Z`
}
