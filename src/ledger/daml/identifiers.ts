import { hash } from 'node:crypto'
import type { ContractId } from '../value.ts'

/**
 * Makes the ids of one transaction's contracts in Canton's form, `00<64 hex>ca111220<64 hex>`: the same ones in the
 * same order for the same seed. A seed is used for one transaction only.
 */
export function contractIds(seed: string): () => ContractId {
  let count = 0
  return () => {
    const hex = hash('sha512', `${seed}/${count++}`)
    return `00${hex.slice(0, 64)}ca111220${hex.slice(64)}`
  }
}
