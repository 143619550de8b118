import type { DatabaseSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import { Damage } from '../../lib/sqlite-faults.ts'
import { nodeIn } from '../daml/identifiers.ts'
import { type Contract, type Touched, touchedBy, type Update, untouched } from '../update.ts'
import type { ContractId } from '../value.ts'
import { type ChainMoment, present } from './chain.ts'
import { createdIn } from './encoding.ts'
import { createdRows, fold, foundBy, type HeldContract, namesIn, type RowChange } from './fold.ts'
import type { Identity } from './identity.ts'
import type { Indexing } from './interpreter.ts'
import { keysOf } from './keys.ts'
import { ContractsTable } from './tables/contracts.ts'
import { DueTable } from './tables/due.ts'
import { EntriesTable } from './tables/entries.ts'
import { FindersTable } from './tables/finders.ts'
import { itself, KindsTable } from './tables/kinds.ts'
import { LogTable } from './tables/log.ts'
import { NodesTable } from './tables/nodes.ts'
import { PartiesTable } from './tables/parties.ts'
import { PruningTable } from './tables/pruning.ts'
import { SettingsTable } from './tables/settings.ts'

const reindexedAtOnce = 1_000
/**
 * The maximum number of active contracts that are kept in memory. Many submissions read the same contracts: the rules,
 * the mining rounds, and the contracts of registrations that are under way.
 */
const recentContracts = 512

/** All tables of one ledger. The callers of `State` begin and end the transactions of the database. */
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

  /**
   * Finds a contract that was active in the state `moment`; by default, one that is active now. Undefined if there is
   * none.
   */
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

  /**
   * Returns the contract that a node created.
   * @param node the node's row in the table `nodes`.
   */
  created(node: number): Contract {
    return createdIn(this.nodes.body(node))
  }

  /**
   * Clears the caches. Call this method after a rollback: later nodes get the same row numbers as those that were
   * rolled back, and the caches would mix them up.
   */
  forget(): void {
    this.#active.clear()
    this.kinds.forget()
    this.pruning.forget()
  }

  /** Updates all tables except the log for a new update. Returns the templates and names that the update touched. */
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

  /** Adds the rows of an active contract to all tables except the log, which has the contract's update already. */
  restore(contract: Contract, node: number, offset: number): void {
    for (const change of createdRows(contract, node, offset, this.indexing)) this.#apply(change)
  }

  /** Builds the tables `finders` and `due` anew. Their rows depend on the lookup keys of the templates. */
  reindex(): void {
    this.finders.clear()
    this.due.clear()
    let last = 0
    for (;;) {
      const nodes = this.contracts.everyActive(last, reindexedAtOnce)
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
    for (const change of foundBy('add', keysOf(contract, this.indexing), contract.contractId, node))
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

  #kind({ template, member = itself }: { readonly template: string; readonly member?: string }): number {
    return this.kinds.ensure(template, member)
  }
}
