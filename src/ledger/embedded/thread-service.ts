import type { Submission } from '../command.ts'
import type { Ledger, Outcome, WriteOutcome } from '../ledger.ts'
import type { Touched, Transaction } from '../update.ts'
import type { Micros, Party } from '../value.ts'
import { type AskTables, type ContractReads, contractReads } from './contract-reads.ts'
import { decodeLazily } from './encoding.ts'
import type { Identity } from './identity.ts'
import {
  type Committed,
  type ServiceProtocol,
  unpackThrown,
  type Write,
  type WriteReply,
} from './protocol.ts'

/**
 * A service runs in the ledger's thread, so that its reads and submissions need no messages between
 * threads.
 */
export interface ThreadService<P extends ServiceProtocol> {
  answer(request: P['request']): Promise<P['answer']>
}

export interface ThreadContext<P extends ServiceProtocol> {
  readonly ledger: InThreadLedger
  /**
   * The latest time that the main thread has sent. Each submission, allocation of a party and
   * request to the service brings the time.
   */
  now(): Micros
  send(event: P['event']): void
}

export type StartService<P extends ServiceProtocol> = (context: ThreadContext<P>) => ThreadService<P>

export interface TableAccess {
  readonly ask: AskTables
  /**
   * Resolves when the write is on the disk, was refused, or has failed without changing anything.
   */
  write(write: Write): Promise<WriteReply>
  now(): Micros
  readonly identity: Identity
}

export class InThreadLedger implements ContractReads, Pick<Ledger, 'submit' | 'setSetting' | 'watch'> {
  readonly contract: Ledger['contract']
  readonly contracts: Ledger['contracts']
  readonly entries: Ledger['entries']
  readonly due: Ledger['due']
  readonly setting: Ledger['setting']
  readonly #access: TableAccess
  readonly #watchers = new Set<(touched: Touched, offset: number) => void>()

  constructor(access: TableAccess) {
    this.#access = access
    const { contract, contracts, entries, due, setting } = contractReads(access.ask)
    this.contract = contract
    this.contracts = contracts
    this.entries = entries
    this.due = due
    this.setting = setting
  }

  async submit(submission: Submission): Promise<Outcome> {
    const { write, now, identity } = this.#access
    const written = await write({ kind: 'submit', submission, now: now() })
    if (written.kind === 'refused') return written
    if (written.kind === 'failed') throw unpackThrown(written.thrown)
    if (written.kind !== 'committed') throw new Error(`a submission came to ${written.kind}`)
    const { update, duplicate } = written
    return {
      kind: 'committed',
      duplicate,
      // The transaction is decoded only when the submitter reads it, because many submitters never
      // read it.
      get transaction() {
        return decodeLazily(update, identity) as Transaction
      },
    }
  }

  async setSetting(party: Party, key: string, value: string): Promise<void> {
    const written = await this.#access.write({ kind: 'set', party, key, value })
    if (written.kind === 'failed') throw unpackThrown(written.thrown)
  }

  watch(watch: (touched: Touched, offset: number) => void): () => void {
    const watcher: typeof watch = (touched, offset) => watch(touched, offset)
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /**
   * The thread calls this method after each commit, before it resolves the service's own writes.
   */
  committed(updates: readonly Committed[]): void {
    for (const { touched, offset } of updates) for (const watcher of this.#watchers) watcher(touched, offset)
  }
}

export function outcomeOf(written: WriteReply): WriteOutcome {
  if (written.kind === 'refused') return 'refused'
  if (written.kind === 'failed') return written.thrown.kind === 'fault' ? 'failed' : 'unavailable'
  return written.kind === 'committed' && written.duplicate ? 'duplicate' : 'committed'
}
