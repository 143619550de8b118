import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { Damage } from '../../lib/sqlite-faults.ts'
import { templates } from '../daml/splice/templates.ts'
import { type Identity, nodeIn, offsetIn } from '../identifiers.ts'
import type {
  ActiveEntry,
  ContractFilter,
  DueFilter,
  EntryFilter,
  HostedParty,
  PartyFilter,
} from '../ledger.ts'
import {
  type ActiveContract,
  type Contract,
  contractChangesOf,
  type EventPosition,
  type Touched,
  type TouchedName,
  touchedBy,
  type Update,
  untouched,
} from '../update.ts'
import type { ContractId, Micros, Party } from '../value.ts'
import { contractIn, decodeUpdate, encode, keysOf, type StoredUpdate, stakeholder } from './encoding.ts'

export interface OffsetAndTime {
  readonly offset: number
  readonly recordTime: Micros
}

/** The last update, and the row of the table `nodes` that the next node will get. */
export interface LogTail extends OffsetAndTime {
  readonly nextNode: number
}

/**
 * A position right after one update. It identifies the state of the ledger between that update and
 * the next one. `lastNode` is the row of the last node before this position.
 */
interface TablePosition {
  readonly offset: number
  readonly lastNode: number
}

const present: TablePosition = { offset: Number.MAX_SAFE_INTEGER, lastNode: Number.MAX_SAFE_INTEGER }
const unlimited = -1

/** A member of `ContractKeys.finders` that a contract must have. */
type Condition = readonly [member: string, value: string]

interface ContractRow {
  readonly node: number
  readonly body: string
}

interface EntryRow extends ContractRow {
  readonly name: string
  readonly expiresAt: Micros
}

/** Sorts after every character of a name or a party id, in SQLite's order of code points. */
const lastPoint = '\u{10ffff}'

/**
 * All tables of one ledger. The methods never begin or end a database transaction; their callers
 * do.
 */
export class Tables implements Disposable {
  readonly db: DatabaseSync
  readonly identity: Identity
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync, identity: Identity) {
    this.db = db
    this.identity = identity
  }

  [Symbol.dispose](): void {
    this.db.close()
  }

  tail(): LogTail {
    const last = this.#get<LogTail>(
      `SELECT offset, record_time AS recordTime, first_node + node_count AS nextNode FROM log
       ORDER BY offset DESC LIMIT 1`,
    )
    return last ?? { offset: 0, recordTime: 0, nextNode: 1 }
  }

  offsetOfCommand(key: Uint8Array): number | undefined {
    return this.#get<{ offset: number }>('SELECT offset FROM log WHERE command_key = ?', key)?.offset
  }

  /** Adds an update after the last one, and applies its changes to the tables. */
  append(update: Update, firstNode: number, commandKey: Uint8Array | null): Touched {
    const { offset, kind, updateId, recordTime, head, nodes } = encode(update)
    this.#run(
      'INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      offset,
      kind,
      updateId,
      recordTime,
      commandKey,
      firstNode,
      nodes.length,
      head,
    )
    for (const [index, body] of nodes.entries())
      this.#run('INSERT INTO nodes VALUES (?, ?)', firstNode + index, body)
    if (update.kind === 'party') {
      this.#run('INSERT INTO parties VALUES (?, ?, ?)', update.party, update.userId, offset)
      return untouched
    }
    const { created, archived } = contractChangesOf(update.nodes)
    const names: TouchedName[] = []
    for (const contractId of archived) names.push(...this.#archive(contractId, offset))
    for (const contract of created) names.push(...this.#create(contract, offset))
    return touchedBy(update.nodes, distinct(names))
  }

  #create(contract: Contract, offset: number): readonly TouchedName[] {
    const node = nodeIn(contract.contractId) as number
    const { template, finders, dueAt = null, entry } = keysOf(contract)
    this.#run('INSERT INTO contracts VALUES (?, ?, ?, ?, NULL)', node, template, dueAt, offset)
    for (const [member, value] of finders)
      this.#run('INSERT INTO finders VALUES (?, ?, ?, ?)', value, template, member, node)
    if (entry === undefined) return []
    const { name, user, expiresAt } = entry
    const values = [node, name, this.#shortOf(user), expiresAt, offset]
    this.#run('INSERT INTO entries VALUES (?, ?, ?, ?, ?, NULL)', ...values)
    return [{ name, user }]
  }

  #archive(contractId: ContractId, offset: number): readonly TouchedName[] {
    const contract = this.contract(contractId)
    if (contract === undefined) throw new Damage(`${contractId} is archived but not active`)
    const node = nodeIn(contractId) as number
    const { template, finders, entry } = keysOf(contract)
    this.#run('UPDATE contracts SET archived_offset = ? WHERE node = ?', offset, node)
    const forget = 'DELETE FROM finders WHERE value = ? AND template = ? AND member = ? AND node = ?'
    for (const [member, value] of finders) this.#run(forget, value, template, member, node)
    if (entry === undefined) return []
    this.#run('UPDATE entries SET archived_offset = ? WHERE node = ?', offset, node)
    const { name, user } = entry
    return [{ name, user }]
  }

  /** Returns the updates that are not pruned, the oldest first. */
  updates(after: number, upTo: number, limit: number): readonly Update[] {
    const rows = this.#all<Omit<StoredUpdate, 'nodes'> & { firstNode: number; nodeCount: number }>(
      `SELECT offset, kind, update_id AS updateId, record_time AS recordTime, head,
         first_node AS firstNode, node_count AS nodeCount
       FROM log WHERE offset > ? AND offset <= ? ORDER BY offset LIMIT ?`,
      Math.max(after, this.prunedUpTo()),
      upTo,
      limit,
    )
    return rows.map(({ firstNode, nodeCount, ...row }) => {
      const nodes = this.#all<{ body: string }>(
        'SELECT body FROM nodes WHERE node >= ? AND node < ? ORDER BY node',
        firstNode,
        firstNode + nodeCount,
      )
      return decodeUpdate({ ...row, nodes: nodes.map(({ body }) => body) }, this.identity)
    })
  }

  update(updateId: string): Update | undefined {
    const offset = offsetIn(updateId)
    if (offset === undefined) return undefined
    const [found] = this.updates(offset - 1, offset, 1)
    return found?.updateId === updateId ? found : undefined
  }

  /**
   * Returns the offset of the last update with this record time or an earlier one. If that update
   * is pruned, returns the offset of the last pruned update.
   */
  offsetAt(recordTime: Micros): number {
    return this.#momentAt(recordTime).offset
  }

  #momentAt(recordTime: Micros): TablePosition {
    return this.#notPruned(
      this.#get<TablePosition>(
        `SELECT offset, first_node + node_count - 1 AS lastNode FROM log
         WHERE record_time <= ? ORDER BY record_time DESC LIMIT 1`,
        recordTime,
      ),
    )
  }

  #momentAfter(offset: number): TablePosition {
    return this.#notPruned(
      this.#get<TablePosition>(
        `SELECT offset, first_node + node_count - 1 AS lastNode FROM log
         WHERE offset <= ? ORDER BY offset DESC LIMIT 1`,
        offset,
      ),
    )
  }

  #notPruned(moment: TablePosition | undefined): TablePosition {
    const pruned = this.#pruned()
    return moment !== undefined && moment.offset >= pruned.offset ? moment : pruned
  }

  /** A read as of the last update is a read of the present state, which needs fewer rows. */
  #moment(asOf: Micros | undefined): TablePosition {
    if (asOf === undefined) return present
    const moment = this.#momentAt(asOf)
    return moment.offset === this.tail().offset ? present : moment
  }

  #pruned(): TablePosition {
    return this.#get<TablePosition>(
      'SELECT up_to AS offset, last_node AS lastNode FROM pruning',
    ) as TablePosition
  }

  prunedUpTo(): number {
    return this.#pruned().offset
  }

  /**
   * Deletes the updates up to an offset, except for these rows:
   * - the row of the last pruned update in the table `log`;
   * - for each contract that is active after it: the node that created the contract, and the row of
   *   that node's update in the table `log`.
   */
  prune(upTo: number): void {
    const { offset: begin, lastNode: first } = this.#pruned()
    const { offset: end, lastNode: last } = this.#momentAfter(upTo)
    this.#run(
      `DELETE FROM log WHERE offset IN (
         SELECT offset FROM log WHERE offset >= ?1 AND offset < ?2
         UNION SELECT created_offset FROM contracts WHERE archived_offset <= ?2 AND created_offset < ?2
       ) AND NOT EXISTS (
         SELECT TRUE FROM contracts WHERE node >= first_node AND node < first_node + node_count
           AND ifnull(archived_offset > ?2, TRUE)
       )`,
      begin,
      end,
    )
    this.#run('UPDATE log SET command_key = NULL WHERE offset >= ? AND offset <= ?', begin, end)
    this.#run('DELETE FROM nodes WHERE node IN (SELECT node FROM contracts WHERE archived_offset <= ?)', end)
    this.#run('DELETE FROM entries WHERE archived_offset <= ?', end)
    this.#run('DELETE FROM contracts WHERE archived_offset <= ?', end)
    this.#run(
      `DELETE FROM nodes WHERE node > ? AND node <= ?
       AND NOT EXISTS (SELECT TRUE FROM contracts WHERE contracts.node = nodes.node)`,
      first,
      last,
    )
    this.#run('UPDATE pruning SET up_to = ?, last_node = ?', end, last)
  }

  /** Returns the contracts that are active after the offset `at`, after an event position. */
  active(at: number, limit: number, after: EventPosition | undefined): readonly ActiveContract[] {
    const { offset, lastNode } = this.#momentAfter(at)
    const { synchronizerId } = this.identity
    return this.#all<ContractRow & { offset: number; updateId: string; firstNode: number }>(
      `SELECT node, body, offset, update_id AS updateId, first_node AS firstNode
       FROM contracts CROSS JOIN nodes USING (node) CROSS JOIN log ON offset = created_offset
       WHERE node > ? AND node <= ? AND ifnull(archived_offset > ?, TRUE) ORDER BY node LIMIT ?`,
      after === undefined ? 0 : this.#lastNodeUpTo(after),
      lastNode,
      offset,
      limit,
    ).map(({ node, body, offset, updateId, firstNode }) => ({
      contract: contractIn(body),
      offset,
      updateId,
      nodeId: node - firstNode,
      synchronizerId,
    }))
  }

  /** Returns the highest row, in the table `nodes`, that is not after an event position. */
  #lastNodeUpTo({ offset, nodeId }: EventPosition): number {
    const found = this.#get<{ offset: number; firstNode: number }>(
      'SELECT offset, first_node AS firstNode FROM log WHERE offset >= ? ORDER BY offset LIMIT 1',
      offset,
    )
    if (found === undefined) return Number.MAX_SAFE_INTEGER
    return found.offset === offset ? found.firstNode + nodeId : found.firstNode - 1
  }

  contract(contractId: ContractId): Contract | undefined {
    const node = nodeIn(contractId)
    if (node === undefined) return undefined
    const found = this.#get<{ body: string }>(
      `SELECT body FROM contracts CROSS JOIN nodes USING (node)
       WHERE node = ? AND archived_offset IS NULL`,
      node,
    )
    const contract = found && contractIn(found.body)
    return contract?.contractId === contractId ? contract : undefined
  }

  /** @throws TypeError if the filter uses a lookup key that the template does not have. */
  contracts(
    { template, party, where = {} }: ContractFilter,
    limit: number,
    asOf?: Micros,
  ): readonly Contract[] {
    const { indexed = {} } = templates.get(template) ?? {}
    const conditions = Object.entries(where)
    for (const [member] of conditions)
      if (!Object.hasOwn(indexed, member)) throw new TypeError(`${template} has no index of ${member}`)
    if (party !== undefined) conditions.push([stakeholder, party])
    const moment = this.#moment(asOf)
    const rows = [...this.#active(template, conditions, moment, limit)]
    if (moment !== present) {
      const past = this.#all<ContractRow>(
        `SELECT node, body FROM contracts CROSS JOIN nodes USING (node)
         WHERE archived_offset > ?1 AND created_offset <= ?1 AND template = ?2`,
        moment.offset,
        template,
      )
      rows.push(...past.filter((row) => meets(row, conditions)))
      rows.sort((a, b) => a.node - b.node)
    }
    return rows.slice(0, limit).map(({ body }) => contractIn(body))
  }

  #active(
    template: string,
    conditions: readonly Condition[],
    { lastNode }: TablePosition,
    limit: number,
  ): readonly ContractRow[] {
    const [first] = conditions
    if (first === undefined)
      return this.#all<ContractRow>(
        `SELECT node, body FROM contracts CROSS JOIN nodes USING (node)
         WHERE template = ? AND archived_offset IS NULL AND node <= ? ORDER BY node LIMIT ?`,
        template,
        lastNode,
        limit,
      )
    const [member, value] = first
    const rows = this.#all<ContractRow>(
      `SELECT node, body FROM finders CROSS JOIN nodes USING (node)
       WHERE value = ? AND template = ? AND member = ? AND node <= ? ORDER BY node LIMIT ?`,
      value,
      template,
      member,
      lastNode,
      conditions.length === 1 ? limit : unlimited,
    )
    return conditions.length === 1 ? rows : rows.filter((row) => meets(row, conditions))
  }

  due({ template, before, after }: DueFilter, limit: number): readonly Contract[] {
    return this.#all<ContractRow>(
      `SELECT node, body FROM contracts CROSS JOIN nodes USING (node)
       WHERE template = ? AND archived_offset IS NULL AND due_at < ? AND (due_at, node) > (?, ?)
       ORDER BY due_at, node LIMIT ?`,
      template,
      before,
      after?.dueAt ?? Number.MIN_SAFE_INTEGER,
      after === undefined ? 0 : (nodeIn(after.contractId) ?? 0),
      limit,
    ).map(({ body }) => contractIn(body))
  }

  /**
   * The entries are sorted by name in the order of code points, and entries of the same name by
   * creation.
   */
  entries(filter: EntryFilter): readonly ActiveEntry[] {
    const moment = this.#moment(filter.asOf)
    const active = this.#activeEntries(filter, moment)
    const past = moment === present ? [] : this.#pastEntries(filter, moment)
    const rows = past.length === 0 ? active : merged(active, past)
    return rows.slice(0, filter.limit).map(({ body, name, expiresAt }) => {
      const contract = contractIn(body)
      const user = contract.argument['user'] as Party
      return { contractId: contract.contractId, name, user, expiresAt, contract }
    })
  }

  #activeEntries(filter: EntryFilter, { lastNode }: TablePosition): readonly EntryRow[] {
    const { name, user, prefix = '', limit } = filter
    const by = [...(name === undefined ? [] : ['name = ?']), ...(user === undefined ? [] : ['user = ?'])]
    return this.#all<EntryRow>(
      `SELECT node, body, name, expires_at AS expiresAt FROM entries CROSS JOIN nodes USING (node)
       WHERE ${['archived_offset IS NULL', ...by].join(' AND ')}
         AND name >= ? AND name < ? AND node <= ? AND expires_at >= ?
       ORDER BY name, node LIMIT ?`,
      ...[name, user && this.#shortOf(user)].filter((value) => value !== undefined),
      prefix,
      `${prefix}${lastPoint}`,
      lastNode,
      filter.notExpiredAt ?? Number.MIN_SAFE_INTEGER,
      limit,
    )
  }

  /** Returns entries that were active at `moment`, but have been archived since. */
  #pastEntries({ name, user, prefix = '', notExpiredAt }: EntryFilter, { offset }: TablePosition) {
    const short = user && this.#shortOf(user)
    return this.#all<EntryRow & { readonly user: string }>(
      `SELECT node, body, name, user, expires_at AS expiresAt FROM entries CROSS JOIN nodes USING (node)
       WHERE archived_offset > ?1 AND created_offset <= ?1 AND expires_at >= ?2`,
      offset,
      notExpiredAt ?? Number.MIN_SAFE_INTEGER,
    ).filter(
      (row) =>
        (name ?? row.name) === row.name && (short ?? row.user) === row.user && row.name.startsWith(prefix),
    )
  }

  /** A party id without the namespace of this ledger. No other party id begins with `@`. */
  #shortOf(party: Party): string {
    const own = `::${this.identity.namespace}`
    return party.endsWith(own) ? `@${party.slice(0, -own.length)}` : party
  }

  hasParty(party: Party): boolean {
    return this.offsetOfParty(party) !== undefined
  }

  offsetOfParty(party: Party): number | undefined {
    return this.#get<{ offset: number }>('SELECT offset FROM parties WHERE party = ?', party)?.offset
  }

  partyOf(userId: string): Party | undefined {
    const select = "SELECT party FROM parties WHERE user_id = ? AND user_id <> ''"
    return this.#get<{ party: Party }>(select, userId)?.party
  }

  parties({ prefix, after, limit }: PartyFilter): readonly HostedParty[] {
    return this.#all<HostedParty>(
      `SELECT party, user_id AS userId FROM parties
       WHERE party > ? AND party >= ? AND party < ? ORDER BY party LIMIT ?`,
      after,
      prefix,
      `${prefix}${lastPoint}`,
      limit,
    )
  }

  setting(party: Party, key: string): string | undefined {
    const select = 'SELECT value FROM settings WHERE party = ? AND key = ?'
    return this.#get<{ value: string }>(select, party, key)?.value
  }

  setSetting(party: Party, key: string, value: string): void {
    this.#run('INSERT OR REPLACE INTO settings VALUES (?, ?, ?)', party, key, value)
  }

  #get<Row>(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined
  }

  #all<Row>(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.#statement(sql).all(...values) as unknown as readonly Row[]
  }

  #run(sql: string, ...values: readonly SQLInputValue[]): void {
    this.#statement(sql).run(...values)
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const prepared = this.db.prepare(sql)
    this.#statements.set(sql, prepared)
    return prepared
  }
}

function meets({ body }: ContractRow, conditions: readonly Condition[]): boolean {
  const { finders } = keysOf(contractIn(body))
  return conditions.every(([member, value]) =>
    finders.some(([name, text]) => name === member && text === value),
  )
}

function distinct(names: readonly TouchedName[]): readonly TouchedName[] {
  return names.filter(
    ({ name, user }, index) => names.findIndex((one) => one.name === name && one.user === user) === index,
  )
}

function merged(a: readonly EntryRow[], b: readonly EntryRow[]): readonly EntryRow[] {
  return [...a, ...b].sort((one, other) => {
    const names = Buffer.compare(Buffer.from(one.name), Buffer.from(other.name))
    return names === 0 ? one.node - other.node : names
  })
}
