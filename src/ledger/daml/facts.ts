import type { Contract, Node } from '../update.ts'
import type { ContractId } from '../value.ts'

/** What a transaction changes in the set of active contracts. */
export interface Facts {
  readonly created: readonly Contract[]
  readonly archived: readonly ContractId[]
}

/** A contract that the transaction itself created and archived is in neither. */
export function factsOf(nodes: readonly Node[]): Facts {
  const created = new Map<ContractId, Contract>()
  const archived: ContractId[] = []
  for (const node of nodes) {
    if (node.kind === 'create') created.set(node.contract.contractId, node.contract)
    else if (node.consuming && !created.delete(node.contractId)) archived.push(node.contractId)
  }
  return { created: [...created.values()], archived }
}
