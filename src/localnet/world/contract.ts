import type { Random } from '../../base/lib/random.ts'
import type { ContractJson as Contract } from '../../registry/ledger/contract-json.ts'
import { roundedMicros, timeOf } from '../../registry/ledger/daml/time.ts'
import type { Micros } from '../../registry/ledger/value.ts'

export type { ContractJson as Contract } from '../../registry/ledger/contract-json.ts'
export type { Micros } from '../../registry/ledger/value.ts'

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

export function microsOf(wallMs: number): Micros {
  return Math.floor(wallMs * 1000)
}

const firstTime = Date.parse('0001-01-01T00:00:00Z') * 1000

/**
 * Returns NaN if the text is not a time that a ledger can have. Of a time more than 285 years from
 * 1970, before or after all that this ledger has, returns the furthest that a number represents.
 */
export function microsIn(text: unknown): Micros {
  const micros = roundedMicros(String(text))
  if (!(micros >= firstTime)) return Number.NaN
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(micros, Number.MAX_SAFE_INTEGER))
}

/**
 * Makes up ids, numbers and blobs. Equal seeds of `random` yield the same values in the same order.
 */
export class Identifiers {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  between(from: number, to: number): number {
    return from + Math.floor(this.#random() * (to - from + 1))
  }

  hex(length: number): string {
    let text = ''
    while (text.length < length)
      text += Math.floor(this.#random() * 0x1_0000_0000)
        .toString(16)
        .padStart(8, '0')
    return text.slice(0, length)
  }

  unique(identifier: string): string {
    return `${identifier}::1220${this.hex(64)}`
  }

  contractId(): string {
    return `00${this.hex(64)}ca111220${this.hex(64)}`
  }

  blob(): string {
    return `CgMyLjES${Buffer.from(this.hex(2 * this.between(210, 330)), 'hex').toString('base64')}`
  }
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
    created_at: timeOf(createdAt),
  }
}
