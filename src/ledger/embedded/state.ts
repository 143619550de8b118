import type { DatabaseSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import { Damage } from '../../lib/sqlite-faults.ts'
import { nodeIn } from '../daml/identifiers.ts'
import { type Contract, type Touched, touchedBy, type Update, untouched } from '../update.ts'
import type { ContractId } from '../value.ts'
import { type ChainMoment, present } from './chain.ts'
import { createdIn } from './encoding.ts'
import { fold, type HeldContract, indexRows, namesIn, type RowChange } from './fold.ts'
import type { Identity } from './identity.ts'
import type { Indexing } from './interpreter.ts'
import { keysOf } from './keys.ts'
import { ContractsTable } from './tables/contracts.ts'
import { DueTable } from './tables/due.ts'
import { EntriesTable } from './tables/entries.ts'
import { FindersTable } from './tables/finders.ts'
import { KindsTable, noMember } from './tables/kinds.ts'
import { LogTable } from './tables/log.ts'
import { NodesTable } from './tables/nodes.ts'
import { PartiesTable } from './tables/parties.ts'
import { PruningTable } from './tables/pruning.ts'
import { SettingsTable } from './tables/settings.ts'

const reindexedAtOnce = 1_000
/**
 * Many submissions use the same contracts, such as the rules and the mining rounds, so these
 * contracts are cached.
 */
const recentContracts = 512

/**
 * All tables of one ledger. `State` never begins or ends a database transaction; its callers do.
 */
export class State {
  readonly log: LogTable
  readonly nodes: NodesTable
  readonly contracts: ContractsTable
  readonly kinds: KindsTable
  readonly finders: FindersTable
  readonly due: DueTable
  readonly entries: EntriesTable
  readonly parties: PartiesTable
  readonly settings: SettingsTable
  readonly pruning: PruningTable
  readonly indexing: Indexing
  readonly #active = new LRUCache<ContractId, HeldContract>({ max: recentContracts })

  constructor(db: DatabaseSync, identity: Identity, indexing: Indexing) {
    this.pruning = new PruningTable(db)
    this.nodes = new NodesTable(db)
    this.log = new LogTable(db, identity.synchronizerId, this.pruning, this.nodes)
    this.contracts = new ContractsTable(db)
    this.kinds = new KindsTable(db)
    this.finders = new FindersTable(db, identity.namespace)
    this.due = new DueTable(db)
    this.entries = new EntriesTable(db)
    this.parties = new PartiesTable(db)
    this.settings = new SettingsTable(db)
    this.indexing = indexing
  }

  find(contractId: ContractId, moment: ChainMoment = present): HeldContract | undefined {
    if (moment !== present) return this.#read(contractId, (node) => this.contracts.wasActive(node, moment))
    const known = this.#active.get(contractId)
    if (known !== undefined) return known
    const held = this.#read(contractId, (node) => this.contracts.isActive(node))
    if (held !== undefined) this.#active.set(contractId, held)
    return held
  }

  #read(contractId: ContractId, isThere: (node: number) => boolean): HeldContract | undefined {
    const node = nodeIn(contractId)
    if (node === undefined || !isThere(node)) return undefined
    const contract = this.created(node)
    return contract.contractId === contractId ? { node, contract } : undefined
  }

  created(node: number): Contract {
    return createdIn(this.nodes.body(node))
  }

  /**
   * Call this method after a rollback. Later nodes get the row numbers of the removed nodes, so the
   * caches would return wrong contracts.
   */
  forget(): void {
    this.#active.clear()
    this.kinds.forget()
    this.pruning.forget()
  }

  fold(update: Update, firstNode: number): Touched {
    const get = (contractId: ContractId) => {
      const found = this.find(contractId)
      if (found === undefined) throw new Damage(`${contractId} is archived but not active`)
      return found
    }
    const changes = fold(update, firstNode, get, this.indexing)
    for (const change of changes) this.#apply(change)
    if (update.kind === 'party') return untouched
    for (const node of update.nodes)
      if (node.kind === 'create') this.#hold(firstNode + node.nodeId, node.contract)
      else if (node.consuming) this.#active.delete(node.contractId)
    return touchedBy(update.nodes, namesIn(changes))
  }

  reindex(): void {
    this.finders.clear()
    this.due.clear()
    let last = 0
    for (;;) {
      const nodes = this.contracts.activeOfAllTemplates(last, reindexedAtOnce)
      for (const node of nodes) this.#index(node)
      if (nodes.length < reindexedAtOnce) return
      last = nodes.at(-1) as number
    }
  }

  #hold(node: number, contract: Contract): void {
    this.#active.set(contract.contractId, { node, contract })
  }

  #index(node: number): void {
    const contract = this.created(node)
    for (const change of indexRows('add', keysOf(contract, this.indexing), contract.contractId, node))
      this.#apply(change)
  }

  #apply(change: RowChange): void {
    switch (change.table) {
      case 'contracts':
        if (change.change === 'archive') return this.contracts.archive(change.node, change.offset)
        return this.contracts.add(change.node, this.#kind(change), change.offset)
      case 'finders':
        return this.finders[change.change](this.#kind(change), change.value, change.node)
      case 'due':
        return this.due[change.change](this.#kind(change), change.dueAt, change.contractId, change.node)
      case 'entries':
        if (change.change === 'archive') return this.entries.archive(change.node, change.offset)
        return this.entries.add(change.node, change, change.offset)
      case 'parties':
        return this.parties.add(change.party, change.userId, change.offset)
    }
  }

  #kind({ template, member = noMember }: { readonly template: string; readonly member?: string }): number {
    return this.kinds.ensure(template, member)
  }
}
