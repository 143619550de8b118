import type { Submission } from '../command.ts'
import type { Ledger, Outcome, WriteOutcome } from '../ledger.ts'
import type { Touched, Transaction } from '../update.ts'
import type { Micros, Party } from '../value.ts'
import { type AskTables, type ContractReads, contractReads } from './contract-reads.ts'
import { decodeAsLookedAt } from './encoding.ts'
import type { Identity } from './identity.ts'
import { type Committed, unpackThrown, type Write, type Written } from './protocol.ts'

/** What acts on a ledger in the ledger's own thread: its reads and submissions cross to no other. */
export interface Resident {
  /** Does what is asked for from outside of the thread. Questions and answers are cloned. */
  answer(question: unknown): Promise<unknown>
}

/** Where a resident lives. */
export interface Residence {
  readonly ledger: InnerLedger
  /** The time on the clock of those outside, as of when they last asked for something. */
  now(): Micros
  /** Tells those outside. */
  say(what: unknown): void
}

export type MoveIn = (residence: Residence) => Resident

/** What the thread does for its resident. */
export interface Inside {
  readonly ask: AskTables
  /** Resolves when the write is durable, or is known to have changed nothing. */
  write(write: Write): Promise<Written>
  now(): Micros
  readonly identity: Identity
}

/** A ledger as it is seen in its own thread. */
export class InnerLedger implements ContractReads, Pick<Ledger, 'submit' | 'setSetting' | 'watch'> {
  readonly contract: Ledger['contract']
  readonly contracts: Ledger['contracts']
  readonly entries: Ledger['entries']
  readonly due: Ledger['due']
  readonly setting: Ledger['setting']
  readonly #inside: Inside
  readonly #watchers = new Set<(touched: Touched, offset: number) => void>()

  constructor(inside: Inside) {
    this.#inside = inside
    const { contract, contracts, entries, due, setting } = contractReads(inside.ask)
    this.contract = contract
    this.contracts = contracts
    this.entries = entries
    this.due = due
    this.setting = setting
  }

  async submit(submission: Submission): Promise<Outcome> {
    const { write, now, identity } = this.#inside
    const written = await write({ kind: 'submit', submission, now: now() })
    if (written.kind === 'refused') return written
    if (written.kind === 'failed') throw unpackThrown(written.thrown)
    if (written.kind !== 'committed') throw new Error(`a submission came to ${written.kind}`)
    const { update, duplicate } = written
    return {
      kind: 'committed',
      duplicate,
      // Automation does not look at it, and who serves users looks at its first node.
      get transaction() {
        return decodeAsLookedAt(update, identity) as Transaction
      },
    }
  }

  async setSetting(party: Party, key: string, value: string): Promise<void> {
    const written = await this.#inside.write({ kind: 'set', party, key, value })
    if (written.kind === 'failed') throw unpackThrown(written.thrown)
  }

  watch(told: (touched: Touched, offset: number) => void): () => void {
    const watcher: typeof told = (touched, offset) => told(touched, offset)
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** To be called with what was committed, before its submitters hear of it. */
  tell(updates: readonly Committed[]): void {
    for (const { touched, offset } of updates) for (const told of this.#watchers) told(touched, offset)
  }
}

export function outcomeOf(written: Written): WriteOutcome {
  if (written.kind === 'refused') return 'refused'
  if (written.kind === 'failed') return written.thrown.kind === 'unavailable' ? 'unavailable' : 'failed'
  return written.kind === 'committed' && written.duplicate ? 'duplicate' : 'committed'
}
