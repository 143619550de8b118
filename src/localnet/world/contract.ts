import type { Identifiers } from './identifiers.ts'
import { isoTime, type Micros } from './instant.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A contract in the schema `Contract` of Splice's common-external.yaml. */
export interface Contract {
  readonly template_id: string
  readonly contract_id: string
  readonly payload: { readonly [key: string]: Json }
  readonly created_event_blob: string
  readonly created_at: string
}

/**
 * A contract in the schema `ContractWithState` of Splice's common-internal.yaml. `domain_id` is
 * null while the contract moves to another synchronizer.
 */
export interface ContractWithState {
  readonly contract: Contract
  readonly domain_id: string | null
}

export function createContract(
  identifiers: Identifiers,
  templateId: string,
  payload: Contract['payload'],
  createdAt: Micros,
): Contract {
  return {
    template_id: templateId,
    contract_id: identifiers.contractId(),
    payload,
    created_event_blob: identifiers.blob(),
    created_at: isoTime(createdAt),
  }
}
