import type { Clock } from '../../../base/lib/clock.ts'
import { InPortions } from '../../../base/lib/in-portions.ts'
import { faultText, fileFault } from '../../../base/lib/sqlite-faults.ts'
import type { AnsEntry } from '../daml/splice/ans.ts'
import { participantOf } from '../identifiers.ts'
import {
  type ContractFilter,
  type ContractFrom,
  type EntryFilter,
  type HostedParty,
  LedgerUnavailable,
  type PartyFilter,
  reportingOutcome,
  type Submission,
  type WriteOutcome,
} from '../ledger.ts'
import type { ActiveContract, Contract, EventPosition, OffsetCheckpoint, Update } from '../update.ts'
import type { ContractId, Micros, Party } from '../value.ts'
import { openTables } from './database.ts'
import type { Tables } from './tables.ts'
import { type LedgerEvent, type Submitted, type Watcher, Writer } from './writer.ts'

export interface EmbeddedLedgerOptions {
  /** If undefined, the ledger is in memory and is lost when it closes. */
  readonly file?: string | undefined
}

export interface EmbeddedLedgerDeps {
  readonly clock: Clock
  readonly tell?: (event: LedgerEvent) => void
  readonly wrote?: (outcome: WriteOutcome) => void
}

const mostWaiting = 10_000

/**
 * A Daml ledger in one SQLite file. Reads and commits run one after the other, a portion of them in
 * each turn of the event loop. Each method rejects with `LedgerUnavailable` if the ledger cannot
 * carry out the call now.
 */
export class EmbeddedLedger implements AsyncDisposable {
  readonly #tables: Tables
  readonly #deps: EmbeddedLedgerDeps
  readonly #writer: Writer
  readonly #jobs = new InPortions()
  readonly #watchers = new Set<Watcher>()
  #waiting = 0
  #isClosed = false

  /**
   * Opens a ledger, or creates it. Until the ledger is closed, no other process can use its file.
   * @throws LedgerUnavailable if the file cannot be opened, for example because it is in use.
   */
  constructor({ file }: EmbeddedLedgerOptions, deps: EmbeddedLedgerDeps) {
    this.#deps = deps
    const tell = deps.tell ?? ignored
    this.#tables = openTables(file, tell)
    this.#writer = new Writer(this.#tables, tell, (touched, offset) => {
      for (const watcher of this.#watchers) this.#call(() => watcher(touched, offset))
    })
  }

  get synchronizerId(): string {
    return this.#tables.identity.synchronizerId
  }

  get participantId(): string {
    return participantOf(this.#tables.identity)
  }

  get writesStopped(): string | undefined {
    return this.#writer.writesStopped
  }

  /**
   * Resolves once the transaction is durable, or the submission is rejected and has changed
   * nothing. Watchers hear of the transaction in between, when it is durable.
   */
  submit(submission: Submission): Promise<Submitted> {
    return this.#write(() => this.#writer.submit(submission, this.#now()))
  }

  /**
   * Finds the party of a user. The first call for a user allocates a party, whose id begins with
   * `hint` if possible.
   */
  async partyOf(userId: string, hint: string): Promise<Party> {
    const known = await this.findParty(userId)
    if (known !== undefined) return known
    return this.#write(() => this.#writer.allocate(userId, hint, this.#now()))
  }

  findParty(userId: string): Promise<Party | undefined> {
    return this.#read((tables) => tables.partyOf(userId))
  }

  /** Returns the offset at which a hosted party was allocated. */
  allocatedAt(party: Party): Promise<number | undefined> {
    return this.#read((tables) => tables.offsetOfParty(party))
  }

  parties(filter: PartyFilter): Promise<readonly HostedParty[]> {
    return this.#read((tables) => tables.parties(filter))
  }

  async end(): Promise<number> {
    this.#ensureOpen()
    return this.#writer.tail.offset
  }

  /** Returns the offset of the last update with this record time or an earlier one; 0 if there is none. */
  offsetAt(recordTime: Micros): Promise<number> {
    return this.#read((tables) => tables.offsetAt(recordTime))
  }

  async checkpoint(): Promise<OffsetCheckpoint> {
    this.#ensureOpen()
    const { offset, recordTime } = this.#writer.tail
    if (offset === 0) return { kind: 'offset-checkpoint', offset, synchronizerTimes: [] }
    const synchronizerTimes = [{ synchronizerId: this.synchronizerId, recordTime }]
    return { kind: 'offset-checkpoint', offset, synchronizerTimes }
  }

  findUpdate(updateId: string): Promise<Update | undefined> {
    return this.#read((tables) => tables.update(updateId))
  }

  /** Returns updates in order. The offset `upTo` is included. */
  updates(after: number, upTo: number, limit: number): Promise<readonly Update[]> {
    return this.#read((tables) => tables.updates(after, upTo, limit))
  }

  /**
   * Calls a function once for each committed update, in order. Returns a function that
   * unsubscribes.
   */
  watch(watch: Watcher): () => void {
    const watcher: Watcher = (touched, offset) => watch(touched, offset)
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  activeContracts(at: number, limit: number, after?: EventPosition): Promise<readonly ActiveContract[]> {
    return this.#read((tables) => tables.active(at, limit, after))
  }

  contract(contractId: ContractId): Promise<Contract | undefined> {
    return this.#read((tables) => tables.contract(contractId))
  }

  contracts(filter: ContractFilter, limit: number, asOf?: Micros): Promise<readonly Contract[]> {
    return this.#read((tables) => tables.contracts(filter, limit, asOf))
  }

  entries(filter: EntryFilter): Promise<readonly ContractFrom<typeof AnsEntry>[]> {
    return this.#read((tables) => tables.entries(filter))
  }

  due(template: string, before: Micros, limit: number, after?: Contract): Promise<readonly Contract[]> {
    return this.#read((tables) => tables.due(template, before, limit, after))
  }

  /** Returns a string that `setSetting` stored. Settings are not part of the ledger's updates. */
  setting(party: Party, key: string): Promise<string | undefined> {
    return this.#read((tables) => tables.setting(party, key))
  }

  /** Resolves when the string is on the disk. */
  async setSetting(party: Party, key: string, value: string): Promise<void> {
    await this.#write(() => this.#tables.setSetting(party, key, value))
  }

  /** Earlier reads and writes still finish. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#jobs.finish()
    this.#tables[Symbol.dispose]()
  }

  #now(): Micros {
    return Math.round(this.#deps.clock.wall() * 1_000)
  }

  #write<W>(write: () => W): Promise<W> {
    const written = this.#inTurn(() => this.#writer.commit(write))
    return reportingOutcome(this.#deps.wrote ?? ignored, written)
  }

  #call(listener: () => void): void {
    try {
      listener()
    } catch (error) {
      this.#deps.tell?.({ kind: 'watcher-failed', error })
    }
  }

  #read<T>(read: (tables: Tables) => T): Promise<T> {
    return this.#inTurn(() => {
      try {
        return read(this.#tables)
      } catch (error) {
        throw this.#readFailure(error)
      }
    })
  }

  #inTurn<T>(job: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#ensureOpen(this.#waiting)
      this.#waiting++
      const run = () => {
        this.#waiting--
        try {
          resolve(job())
        } catch (error) {
          reject(error)
        }
      }
      this.#jobs.add([run])
    })
  }

  #ensureOpen(waiting = 0): void {
    if (this.#isClosed) throw new LedgerUnavailable('The ledger is closed.')
    if (waiting >= mostWaiting) throw new LedgerUnavailable('Too much waits for the ledger.')
  }

  #readFailure(error: unknown): unknown {
    // On a damaged page, the JSON of a row may be broken.
    const fault = error instanceof SyntaxError ? 'damaged' : fileFault(error)
    if (fault === undefined) return error
    const problem = faultText(error)
    if (fault === 'damaged') this.#writer.stop(fault, problem)
    return new LedgerUnavailable(`The ledger cannot read its file: ${problem}.`)
  }
}

const ignored = () => {}
