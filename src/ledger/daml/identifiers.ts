import { hash } from 'node:crypto'
import type { ContractId } from '../value.ts'

const nodeDigits = 12
const idLength = 138
const form = /^00[0-9a-f]{64}ca111220[0-9a-f]{64}$/

/**
 * Returns a contract id in the format of Canton, `00<64 hex>ca111220<64 hex>`. The last twelve hex
 * digits are the number of the node, so that the ledger finds the contract without an index.
 * @param seed a string that is unique to the transaction.
 * @param node the node's number among all nodes of the ledger.
 */
export function contractIdOf(seed: string, node: number): ContractId {
  const hex = hash('sha512', `${seed}/${node}`)
  const number = node.toString(16).padStart(nodeDigits, '0')
  return `00${hex.slice(0, 64)}ca111220${hex.slice(64, -nodeDigits)}${number}`
}

/**
 * Returns undefined if this ledger cannot have made the id. An id from another ledger can match the
 * pattern with arbitrary digits, so the caller must check that the node created this contract.
 */
export function nodeIn(contractId: ContractId): number | undefined {
  if (contractId.length !== idLength || !form.test(contractId)) return undefined
  return Number.parseInt(contractId.slice(-nodeDigits), 16)
}
