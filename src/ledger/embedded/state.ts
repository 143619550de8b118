import type { DatabaseSync } from 'node:sqlite'
import type { Contract, Node, Update } from '../update.ts'
import type { ContractId } from '../value.ts'
import { Damage } from './faults.ts'
import { fold, foundBy, type HeldContract, type RowChange } from './fold.ts'
import type { Identity } from './identity.ts'
import type { Indexing } from './interpreter.ts'
import { keysOf } from './keys.ts'
import { ContractsTable } from './tables/contracts.ts'
import { DueTable } from './tables/due.ts'
import { EntriesTable } from './tables/entries.ts'
import { LogTable } from './tables/log.ts'
import { MembersTable } from './tables/members.ts'
import { PartiesTable } from './tables/parties.ts'
import { SettingsTable } from './tables/settings.ts'
import { StakeholdersTable } from './tables/stakeholders.ts'

const reindexedAtOnce = 1_000

/** All tables of one ledger. What changes them says so row by row, inside a transaction that somebody else began. */
export class State {
  readonly log: LogTable
  readonly contracts: ContractsTable
  readonly stakeholders: StakeholdersTable
  readonly members: MembersTable
  readonly due: DueTable
  readonly entries: EntriesTable
  readonly parties: PartiesTable
  readonly settings: SettingsTable
  readonly indexing: Indexing

  constructor(db: DatabaseSync, identity: Identity, indexing: Indexing) {
    this.log = new LogTable(db, identity.synchronizerId)
    this.contracts = new ContractsTable(db)
    this.stakeholders = new StakeholdersTable(db)
    this.members = new MembersTable(db)
    this.due = new DueTable(db)
    this.entries = new EntriesTable(db)
    this.parties = new PartiesTable(db)
    this.settings = new SettingsTable(db)
    this.indexing = indexing
  }

  /** An active contract. */
  find(contractId: ContractId): HeldContract | undefined {
    const node = this.contracts.find(contractId)
    return node === undefined ? undefined : { node, contract: this.created(node) }
  }

  /** The contract that a node created. */
  created(node: number): Contract {
    return (JSON.parse(this.log.node(node)) as Extract<Node, { kind: 'create' }>).contract
  }

  /** Adds an update's rows to the state, its log row apart. */
  fold(update: Update, firstNode: number, held: (contractId: ContractId) => HeldContract | undefined): void {
    const get = (contractId: ContractId) => {
      const found = held(contractId)
      if (found === undefined) throw new Damage(`${contractId} is archived but not active`)
      return found
    }
    for (const change of fold(update, firstNode, get, this.indexing)) this.#apply(change)
  }

  /** Makes anew what depends on which members are indexed. */
  reindex(): void {
    this.members.clear()
    this.due.clear()
    let last = 0
    for (;;) {
      const nodes = this.contracts.everyActive(last, reindexedAtOnce)
      for (const node of nodes) this.#index(node)
      if (nodes.length < reindexedAtOnce) return
      last = nodes.at(-1) as number
    }
  }

  #index(node: number): void {
    const contract = this.created(node)
    const keys = { ...keysOf(contract, this.indexing), stakeholders: [] }
    for (const change of foundBy('add', keys, contract.contractId, node)) this.#apply(change)
  }

  #apply(change: RowChange): void {
    switch (change.table) {
      case 'contracts':
        if (change.change === 'archive') return this.contracts.archive(change.node, change.offset)
        return this.contracts.add(change.node, change.contractId, change.template, change.offset)
      case 'stakeholders':
        return this.stakeholders[change.change](change.party, change.template, change.node)
      case 'members':
        return this.members[change.change](change.template, change.member, change.value, change.node)
      case 'due':
        return this.due[change.change](change.template, change.dueAt, change.contractId, change.node)
      case 'entries':
        if (change.change === 'archive') return this.entries.archive(change.node, change.offset)
        return this.entries.add(change.node, change, change.offset)
      case 'parties':
        return this.parties.add(change.party, change.userId, change.offset)
    }
  }
}
