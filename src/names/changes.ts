import { AnsEntry } from '../ledger/daml/splice/ans-entry.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Touch } from '../ledger/touched.ts'
import type { ContractId, DamlRecord, Micros, Party } from '../ledger/value.ts'

/** A name that was created, renewed or archived. */
export interface ChangedName {
  readonly name: string
  readonly user: Party
}

/**
 * Tells of every change of a name: of what is created before its submitter hears of it, of what is only archived as soon
 * as its contract has been looked up. Returns how to stop it.
 */
export function changedNames(
  ledger: Pick<Ledger, 'subscribe' | 'contract'>,
  tell: (names: readonly ChangedName[]) => void,
): () => void {
  const tellArchived = async (contractIds: readonly ContractId[], before: Micros) => {
    const found = await Promise.all(contractIds.map((contractId) => ledger.contract(contractId, before)))
    const names = found.flatMap((contract) => (contract === undefined ? [] : [nameOf(contract.argument)]))
    if (names.length > 0) tell(names)
  }
  return ledger.subscribe((update, touched) => {
    if (update.kind === 'party') return
    const created = touched.created.filter(isEntry).flatMap(({ nodeId }) => {
      const node = update.nodes[nodeId]
      return node?.kind === 'create' ? [nameOf(node.contract.argument)] : []
    })
    if (created.length > 0) tell(created)
    const archived = touched.archived.filter(isEntry)
    if (archived.length <= created.length) return
    const contractIds = archived.flatMap(({ nodeId }) => {
      const node = update.nodes[nodeId]
      return node?.kind === 'exercise' ? [node.contractId] : []
    })
    // What cannot be looked up ends by its own expiry in every cache.
    tellArchived(contractIds, update.recordTime - 1).catch(() => {})
  })
}

function isEntry({ template }: Touch): boolean {
  return template === AnsEntry.name
}

function nameOf(argument: DamlRecord): ChangedName {
  return { name: String(argument['name']), user: String(argument['user']) }
}
