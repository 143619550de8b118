import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { parseJsonText } from '../../../base/lib/parse-json-text.ts'
import { Damage } from '../../../base/lib/sqlite-faults.ts'
import { AnsEntry } from '../daml/splice/ans.ts'
import { templates } from '../daml/splice/templates.ts'
import { microsOf } from '../daml/time.ts'
import { contractIdOf, type Identity, numberIn, offsetIn, participantOf, updateIdOf } from '../identifiers.ts'
import type { ContractFilter, ContractFrom, EntryFilter, HostedParty, PartyFilter } from '../ledger.ts'
import {
  type ActiveContract,
  type Contract,
  contractChangesOf,
  type EventPosition,
  type Node,
  type PartyAllocated,
  type Touched,
  type TouchedName,
  type Transaction,
  touchedBy,
  type Update,
  untouched,
  withBlob,
} from '../update.ts'
import { type ContractId, type Micros, type Party, templateNameOf } from '../value.ts'

/** The part of an update that does not follow from its offset and the ledger's identity. */
export type Content =
  | Omit<Transaction, 'offset' | 'updateId' | 'synchronizerId'>
  | Omit<PartyAllocated, 'offset' | 'updateId' | 'synchronizerId' | 'participantId'>

/** The position after the last update. */
export interface LogTail {
  readonly offset: number
  readonly recordTime: Micros
}

/** The offset in the column `archived` of an active contract. It is after all others. */
const never = Number.MAX_SAFE_INTEGER
const nodesOfUpdate = 65_536
const byTemplate = 'contracts_by_template'
/** Sorts after every character of a name or a party id, in SQLite's order of code points. */
const lastPoint = '\u{10ffff}'

/**
 * - `log` has the updates as JSON, without contract blobs.
 * - `contracts` has all contracts except those that one transaction both created and archived, with
 *   the number of the node that created each, and the offset of the update that archived it.
 * - `settings` are strings of a party, which are not part of the log.
 */
export const schema = `
CREATE TABLE identity (synchronizer_id TEXT NOT NULL, namespace TEXT NOT NULL) STRICT;
CREATE TABLE log (
  offset INTEGER PRIMARY KEY,
  record_time INTEGER NOT NULL,
  command_key BLOB,
  body TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX log_by_time ON log (record_time);
CREATE UNIQUE INDEX log_by_command ON log (command_key) WHERE command_key IS NOT NULL;
CREATE TABLE contracts (
  number INTEGER PRIMARY KEY,
  template TEXT NOT NULL,
  archived INTEGER NOT NULL,
  due_at INTEGER,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX ${byTemplate} ON contracts (template, archived, due_at);
CREATE TABLE parties (
  party TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  offset INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX parties_by_user ON parties (user_id) WHERE user_id <> '';
CREATE TABLE settings (
  party TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (party, key)
) STRICT, WITHOUT ROWID;
${[...templates.values()].flatMap(indexesOf).join('\n')}
`

function indexesOf({
  name,
  indexed,
}: {
  readonly name: string
  readonly indexed: object
}): readonly string[] {
  return Object.keys(indexed).map(
    (key) =>
      `CREATE INDEX ${indexOf(name, key)} ON contracts (${memberOf(name, key)}, archived) WHERE template = '${name}';`,
  )
}

function indexOf(template: string, key: string): string {
  return `"${template} by ${key}"`
}

/** Returns the SQL of a string in the argument of a contract, which must stand in an index in the same words. */
function memberOf(template: string, key: string): string {
  const path = templates.get(template)?.indexed[key]
  if (path === undefined) throw new TypeError(`${template} has no index of ${key}`)
  return `body ->> '$.argument.${path.join('.')}'`
}

/** A condition in SQL, and the values of its parameters. */
type Condition = readonly [sql: string, ...values: readonly SQLInputValue[]]

interface ContractRows {
  readonly template: string
  /** SQLite itself would choose an index by a guess. */
  readonly index: string
  readonly order: string
}

/**
 * All tables of one ledger. The methods never begin or end a database transaction; their callers
 * do.
 */
export class Tables implements Disposable {
  readonly db: DatabaseSync
  readonly identity: Identity
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.db = db
    const select = 'SELECT synchronizer_id AS synchronizerId, namespace FROM identity'
    const identity = this.#get<Identity>(select)
    if (identity === undefined) throw new Damage('it has no identity')
    this.identity = identity
  }

  [Symbol.dispose](): void {
    this.db.close()
  }

  tail(): LogTail {
    const select = 'SELECT offset, record_time AS recordTime FROM log ORDER BY offset DESC LIMIT 1'
    return this.#get<LogTail>(select) ?? { offset: 0, recordTime: 0 }
  }

  offsetOfCommand(key: Uint8Array): number | undefined {
    return this.#get<{ offset: number }>('SELECT offset FROM log WHERE command_key = ?', key)?.offset
  }

  contractIdAt(offset: number, nodeId: number): ContractId {
    return contractIdOf(this.identity.synchronizerId, numberOf({ offset, nodeId }))
  }

  /** Adds an update after the last one, and applies its changes to the tables. */
  append(offset: number, content: Content, commandKey: Uint8Array | null): Touched {
    const { recordTime } = content
    const body = JSON.stringify(content, withoutBlob)
    this.#run('INSERT INTO log VALUES (?, ?, ?, ?)', offset, recordTime, commandKey, body)
    if (content.kind === 'party') {
      this.#run('INSERT INTO parties VALUES (?, ?, ?)', content.party, content.userId, offset)
      return untouched
    }
    const { created, archived } = contractChangesOf(content.nodes)
    const gone = archived.map((contractId) => this.#archive(contractId, offset))
    for (const contract of created) this.#create(contract)
    return touchedBy(content.nodes, distinctNames([...gone, ...created]))
  }

  #create(contract: Contract): void {
    const number = numberIn(contract.contractId) as number
    const values = [number, templateNameOf(contract.templateId), never, dueAtOf(contract)]
    const body = JSON.stringify(contract, withoutBlob)
    this.#run('INSERT INTO contracts VALUES (?, ?, ?, ?, ?)', ...values, body)
  }

  #archive(contractId: ContractId, offset: number): Contract {
    const contract = this.contract(contractId)
    if (contract === undefined) throw new Damage(`${contractId} is archived but not active`)
    const number = numberIn(contractId) as number
    this.#run('UPDATE contracts SET archived = ? WHERE number = ?', offset, number)
    return contract
  }

  /** Returns the updates, the oldest first. */
  updates(after: number, upTo: number, limit: number): readonly Update[] {
    return this.#all<{ offset: number; body: string }>(
      'SELECT offset, body FROM log WHERE offset > ? AND offset <= ? ORDER BY offset LIMIT ?',
      after,
      upTo,
      limit,
    ).map(({ offset, body }) => this.#updateIn(offset, parseJsonText(body) as Content))
  }

  #updateIn(offset: number, content: Content): Update {
    const place = { offset, ...this.#idsAt(offset) }
    if (content.kind === 'party') return { ...content, ...place, participantId: participantOf(this.identity) }
    return { ...content, ...place, nodes: content.nodes.map(nodeWithBlob) }
  }

  #idsAt(offset: number) {
    const { synchronizerId } = this.identity
    return { updateId: updateIdOf(synchronizerId, offset), synchronizerId }
  }

  update(updateId: string): Update | undefined {
    const offset = offsetIn(updateId)
    if (offset === undefined) return undefined
    const [found] = this.updates(offset - 1, offset, 1)
    return found?.updateId === updateId ? found : undefined
  }

  /** Returns the offset of the last update with this record time or an earlier one; 0 if there is none. */
  offsetAt(recordTime: Micros): number {
    const select = 'SELECT offset FROM log WHERE record_time <= ? ORDER BY record_time DESC LIMIT 1'
    return this.#get<{ offset: number }>(select, recordTime)?.offset ?? 0
  }

  /** Returns the contracts that are active after the offset `at`, after an event position. */
  active(at: number, limit: number, after: EventPosition | undefined): readonly ActiveContract[] {
    return this.#all<{ number: number; body: string }>(
      `SELECT number, body FROM contracts
       WHERE number > ? AND number < ? AND archived > ? ORDER BY number LIMIT ?`,
      after === undefined ? 0 : numberOf(after),
      numberOf({ offset: at + 1, nodeId: 0 }),
      at,
      limit,
    ).map(({ number, body }) => {
      const offset = Math.floor(number / nodesOfUpdate)
      return { contract: contractIn(body), offset, nodeId: number % nodesOfUpdate, ...this.#idsAt(offset) }
    })
  }

  contract(contractId: ContractId): Contract | undefined {
    const number = numberIn(contractId)
    if (number === undefined) return undefined
    const select = `SELECT body FROM contracts WHERE number = ? AND archived = ${never}`
    const found = this.#get<{ body: string }>(select, number)
    const contract = found && contractIn(found.body)
    return contract?.contractId === contractId ? contract : undefined
  }

  contracts({ template, where = {} }: ContractFilter, limit: number, asOf?: Micros): readonly Contract[] {
    const members = Object.entries(where).map(
      ([key, value]): Condition => [`${memberOf(template, key)} = ?`, value],
    )
    const [key] = Object.keys(where)
    const index = key === undefined ? byTemplate : indexOf(template, key)
    return this.#select({ template, index, order: 'number' }, [...members, ...this.#activeAt(asOf)], limit)
  }

  due(template: string, before: Micros, limit: number, after: Contract | undefined): readonly Contract[] {
    const conditions: Condition[] = [...this.#activeAt(undefined), ['due_at < ?', before]]
    if (after !== undefined)
      conditions.push(['(due_at, number) > (?, ?)', dueAtOf(after), numberIn(after.contractId) as number])
    return this.#select({ template, index: byTemplate, order: 'due_at, number' }, conditions, limit)
  }

  /**
   * The entries are sorted by name in the order of code points, and entries of the same name by
   * creation.
   */
  entries(filter: EntryFilter): readonly ContractFrom<typeof AnsEntry>[] {
    const { name, user, prefix, notExpiredAt, asOf, limit } = filter
    const [nameOf, userOf] = [memberOf(AnsEntry.name, 'name'), memberOf(AnsEntry.name, 'user')]
    const conditions = [...this.#activeAt(asOf)]
    if (name !== undefined) conditions.push([`${nameOf} = ?`, name])
    if (user !== undefined) conditions.push([`${userOf} = ?`, user])
    if (prefix !== undefined)
      conditions.push([`${nameOf} >= ? AND ${nameOf} < ?`, prefix, `${prefix}${lastPoint}`])
    if (notExpiredAt !== undefined) conditions.push(['due_at >= ?', notExpiredAt])
    const index = indexOf(AnsEntry.name, user === undefined ? 'name' : 'user')
    const selection = { template: AnsEntry.name, index, order: `${nameOf}, number` }
    return this.#select(selection, conditions, limit) as readonly ContractFrom<typeof AnsEntry>[]
  }

  /** Selects contracts that are active now, or at a record time. */
  #activeAt(asOf: Micros | undefined): Condition[] {
    if (asOf === undefined) return [[`archived = ${never}`]]
    const offset = this.offsetAt(asOf)
    return [['archived > ? AND number < ?', offset, numberOf({ offset: offset + 1, nodeId: 0 })]]
  }

  #select(
    { template, index, order }: ContractRows,
    conditions: readonly Condition[],
    limit: number,
  ): readonly Contract[] {
    const where = [`template = '${template}'`, ...conditions.map(([sql]) => sql)].join(' AND ')
    const rows = this.#all<{ body: string }>(
      `SELECT body FROM contracts INDEXED BY ${index} WHERE ${where} ORDER BY ${order} LIMIT ?`,
      ...conditions.flatMap(([, ...values]) => values),
      limit,
    )
    return rows.map(({ body }) => contractIn(body))
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

/** The number of a node among all nodes of the ledger. */
function numberOf({ offset, nodeId }: EventPosition): number {
  return offset * nodesOfUpdate + nodeId
}

function dueAtOf({ templateId, argument }: Contract): Micros | null {
  const dueField = templates.get(templateNameOf(templateId))?.dueField
  return dueField === undefined ? null : microsOf(argument[dueField] as string)
}

/** A blob is not stored, because it is computed from the rest of its contract. */
function withoutBlob(key: string, value: unknown): unknown {
  return key === 'createdEventBlob' ? undefined : value
}

function contractIn(body: string): Contract {
  return withBlob(parseJsonText(body) as Contract)
}

function nodeWithBlob(node: Node): Node {
  return node.kind === 'create' ? { ...node, contract: withBlob(node.contract) } : node
}

function distinctNames(contracts: readonly Contract[]): readonly TouchedName[] {
  const names = contracts
    .filter(({ templateId }) => templateNameOf(templateId) === AnsEntry.name)
    .map(({ argument: { name, user } }) => [`${name}/${user}`, { name, user } as TouchedName] as const)
  return [...new Map(names).values()]
}
