import { type Contract, contractChangesOf, type TouchedName, type Update } from '../update.ts'
import type { ContractId, Micros, Party } from '../value.ts'
import type { Indexing } from './interpreter.ts'
import { type ContractKeys, keysOf } from './keys.ts'
import { noMember } from './tables/kinds.ts'

/**
 * The change of one row of a table. `node` identifies a contract: it is the row, in the table
 * `nodes`, of the node that created the contract.
 */
export type RowChange =
  | {
      readonly table: 'contracts'
      readonly change: 'add'
      readonly node: number
      readonly template: string
      readonly offset: number
    }
  | {
      readonly table: 'contracts'
      readonly change: 'archive'
      readonly node: number
      readonly offset: number
    }
  | {
      readonly table: 'finders'
      readonly change: 'add' | 'remove'
      readonly template: string
      /**
       * If this is `noMember`, `value` is a stakeholder of the contract. Otherwise this is a lookup
       * key of the template, and `value` is the string that the contract has for that key.
       */
      readonly member: string
      readonly value: string
      readonly node: number
    }
  | {
      readonly table: 'due'
      readonly change: 'add' | 'remove'
      readonly template: string
      readonly dueAt: Micros
      readonly contractId: ContractId
      readonly node: number
    }
  | {
      readonly table: 'entries'
      readonly change: 'add'
      readonly node: number
      readonly name: string
      readonly user: Party
      readonly expiresAt: Micros
      readonly offset: number
    }
  | {
      readonly table: 'entries'
      readonly change: 'archive'
      readonly node: number
      readonly name: string
      readonly user: Party
      readonly offset: number
    }
  | {
      readonly table: 'parties'
      readonly change: 'add'
      readonly party: Party
      readonly userId: string
      readonly offset: number
    }

export interface HeldContract {
  readonly node: number
  readonly contract: Contract
}

/**
 * Returns the row changes of an update. The function is pure, so a replay of all updates gives the
 * same tables.
 * @param firstNode the row, in the table `nodes`, of the first node of the update.
 * @param held finds a contract that was active before this update.
 */
export function fold(
  update: Update,
  firstNode: number,
  held: (contractId: ContractId) => HeldContract,
  indexing: Indexing,
): readonly RowChange[] {
  const { offset } = update
  if (update.kind === 'party')
    return [{ table: 'parties', change: 'add', party: update.party, userId: update.userId, offset }]
  const { created, archived } = contractChangesOf(update.nodes)
  const nodes = new Map<ContractId, number>()
  for (const node of update.nodes)
    if (node.kind === 'create') nodes.set(node.contract.contractId, firstNode + node.nodeId)

  const changes: RowChange[] = []
  for (const contractId of archived) {
    const { node, contract } = held(contractId)
    const keys = keysOf(contract, indexing)
    changes.push({ table: 'contracts', change: 'archive', node, offset })
    changes.push(...indexRows('remove', keys, contractId, node))
    if (keys.entry === undefined) continue
    const { name, user } = keys.entry
    changes.push({ table: 'entries', change: 'archive', node, name, user, offset })
  }
  for (const contract of created) {
    changes.push(...createdRows(contract, nodes.get(contract.contractId) as number, offset, indexing))
  }
  return changes
}

export function namesIn(changes: readonly RowChange[]): readonly TouchedName[] {
  const names: TouchedName[] = []
  for (const change of changes) {
    if (change.table !== 'entries') continue
    const { name, user } = change
    if (!names.some((known) => known.name === name && known.user === user)) names.push({ name, user })
  }
  return names
}

function createdRows(
  contract: Contract,
  node: number,
  offset: number,
  indexing: Indexing,
): readonly RowChange[] {
  const { contractId } = contract
  const keys = keysOf(contract, indexing)
  const changes: RowChange[] = [
    { table: 'contracts', change: 'add', node, template: keys.template, offset },
    ...indexRows('add', keys, contractId, node),
  ]
  if (keys.entry !== undefined) changes.push({ table: 'entries', change: 'add', node, ...keys.entry, offset })
  return changes
}

export function indexRows(
  change: 'add' | 'remove',
  { template, stakeholders, members, dueAt }: ContractKeys,
  contractId: ContractId,
  node: number,
): readonly RowChange[] {
  const changes: RowChange[] = []
  for (const value of stakeholders)
    changes.push({ table: 'finders', change, template, member: noMember, value, node })
  for (const [member, value] of members)
    changes.push({ table: 'finders', change, template, member, value, node })
  if (dueAt !== undefined) changes.push({ table: 'due', change, template, dueAt, contractId, node })
  return changes
}
