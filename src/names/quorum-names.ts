import { AnsRules } from '../ledger/daml/splice/ans.ts'
import { tryMicros } from '../ledger/daml/time.ts'
import { conform } from '../ledger/daml/type.ts'
import type { DamlValue, Micros } from '../ledger/value.ts'
import type { AgreedAnsRules, Holder } from './registry.ts'

/**
 * The agreed answer of scans to `/v0/ans-rules`, with the contract `AnsRules`. A request for a name
 * discloses that contract to the participant, because the user's party is not a stakeholder.
 */
export interface AgreedRules {
  readonly ans_rules_update: {
    readonly contract: {
      readonly contract_id: string
      readonly payload: unknown
      readonly created_event_blob: string
    }
  }
}

export function ansRulesOf({ ans_rules_update: { contract } }: AgreedRules): AgreedAnsRules {
  return {
    contractId: contract.contract_id,
    argument: conform(AnsRules.argument, contract.payload as DamlValue),
    createdEventBlob: contract.created_event_blob,
  }
}

/**
 * The agreed answer to `/v0/ans-entries/by-name/{name}`. Without `expires_at`, an entry never
 * expires.
 */
export interface AgreedEntry {
  readonly entry: { readonly user: string; readonly expires_at?: string | null }
}

const never: Micros = Date.UTC(2250, 0, 1) * 1000

export function holderOf(agreed: AgreedEntry | undefined, now: Micros): Holder | undefined {
  if (agreed === undefined) return undefined
  const { user, expires_at: end } = agreed.entry
  const expiresAt = typeof end === 'string' ? (tryMicros(end) ?? never) : never
  return expiresAt < now ? undefined : { user, expiresAt }
}
