import type { Random } from '../../lib/random.ts'
import { withoutTrailing } from '../../lib/without-trailing.ts'

/** Microseconds since 1970 UTC, the resolution of ledger times. A double stores them exactly. */
export type Micros = number

export function microsOf(wallMs: number): Micros {
  return Math.floor(wallMs * 1000)
}

/** Parses a UTC time as Splice writes it. Returns NaN if the text is not such a time. */
export function microsIn(text: unknown): Micros {
  const [, whole = '', fraction = ''] = /^([^.Z]*)(?:\.(\d+))?Z$/.exec(String(text)) ?? []
  return Date.parse(`${whole}Z`) * 1_000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}

/**
 * Formats a time as circe writes an `OffsetDateTime`: with as few fraction digits as the time
 * needs, and `Z`.
 */
export function isoTime(micros: Micros): string {
  const seconds = Math.floor(micros / 1_000_000)
  const fraction = micros - seconds * 1_000_000
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19)
  return fraction === 0 ? `${whole}Z` : `${whole}.${withoutTrailing('0', String(fraction).padStart(6, '0'))}Z`
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
