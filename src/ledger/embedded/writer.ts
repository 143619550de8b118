import { hash } from 'node:crypto'
import type { StatementSync } from 'node:sqlite'
import { type FileFault, faultText, fileFault, isPassing } from '../../lib/sqlite-faults.ts'
import { interpret } from '../daml/interpret.ts'
import type { Refusal } from '../daml/refused.ts'
import { candidatePartyIds, participantOf, updateIdOf } from '../identifiers.ts'
import { type Ledger, LedgerDamaged, LedgerUnavailable, type Submission } from '../ledger.ts'
import type { PartyAllocated, Touched, Transaction, Update } from '../update.ts'
import type { Micros, Party } from '../value.ts'
import type { SetAside } from './database.ts'
import type { LogTail, Tables } from './tables.ts'

export type LedgerEvent =
  | SetAside
  | { readonly kind: 'writes-stopped'; readonly reason: string }
  | { readonly kind: 'writes-resumed' }
  | { readonly kind: 'watcher-failed'; readonly error: unknown }

export type Submitted = Awaited<ReturnType<Ledger['submit']>>

interface CommittedUpdate {
  readonly offset: number
  readonly touched: Touched
}

interface Commit<W> {
  readonly value: W
  /** Undefined if the write added no update to the log. */
  readonly update: CommittedUpdate | undefined
}

type Content =
  | Omit<Transaction, 'offset' | 'updateId' | 'synchronizerId'>
  | Omit<PartyAllocated, 'offset' | 'updateId' | 'synchronizerId'>

/** The maximum number of updates that one commit prunes. */
const prunedAtOnce = 100

export class Writer {
  readonly #tables: Tables
  readonly #tell: (event: LedgerEvent) => void
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  #tail: LogTail
  #update: CommittedUpdate | undefined
  #stopped: LedgerUnavailable | undefined
  #isPaused = false

  constructor(tables: Tables, tell: (event: LedgerEvent) => void) {
    this.#tables = tables
    this.#tail = tables.tail()
    this.#tell = tell
    this.#begin = tables.db.prepare('BEGIN IMMEDIATE')
    this.#commit = tables.db.prepare('COMMIT')
  }

  get tail(): LogTail {
    return this.#tail
  }

  stop(why: LedgerUnavailable): void {
    if (this.#stopped !== undefined) return
    this.#stopped = why
    this.#tell({ kind: 'writes-stopped', reason: why.message })
  }

  /**
   * Carries out a write in one commit. If it throws, it has changed nothing.
   * @throws LedgerUnavailable if the file is at fault.
   */
  commit<W>(write: () => W): Commit<W> {
    if (this.#stopped !== undefined) throw this.#stopped
    const before = this.#tail
    this.#update = undefined
    try {
      this.#begin.run()
      const value = write()
      this.#commit.run()
      this.#resume()
      return { value, update: this.#update }
    } catch (error) {
      this.#tail = before
      this.#rollBack()
      const fault = fileFault(error)
      throw fault === undefined ? error : this.#faulty(fault, faultText(error))
    }
  }

  /** Prunes at most `prunedAtOnce` updates, and never the last one. */
  prune(upTo: number): number {
    const from = this.#tables.prunedUpTo()
    const to = Math.min(upTo, from + prunedAtOnce, this.#tail.offset - 1)
    if (to > from) this.#tables.prune(to)
    return this.#tables.prunedUpTo()
  }

  submit(submission: Submission, now: Micros): Submitted {
    const tables = this.#tables
    const key = commandKey(submission)
    const known = tables.offsetOfCommand(key)
    if (known !== undefined) return this.#again(known)
    const unknown = submission.actAs.find((party) => !tables.hasParty(party))
    if (unknown !== undefined) return unknownSubmitter(unknown)

    const recordTime = this.#timeFrom(now)
    const outcome = interpret(submission, {
      now: recordTime,
      seed: this.#nextDigest,
      firstNode: this.#tail.nextNode,
      contract: (contractId) => tables.contract(contractId),
    })
    if (outcome.kind === 'refused') return outcome
    const { commandId, userId, actAs } = submission
    const content: Content = {
      kind: 'transaction',
      recordTime,
      effectiveAt: recordTime,
      commandId,
      userId,
      actAs,
      nodes: outcome.nodes,
    }
    return committed(this.#append(content, key) as Transaction, false)
  }

  #again(offset: number): Submitted {
    const [known] = this.#tables.updates(offset - 1, offset, 1)
    if (known?.kind !== 'transaction') throw new Error(`update ${offset} was just there`)
    return committed(known, true)
  }

  allocate(userId: string, hint: string, now: Micros): Party {
    const tables = this.#tables
    const known = tables.partyOf(userId)
    if (known !== undefined) return known
    const { namespace } = tables.identity
    const party = candidatePartyIds(userId, hint, namespace).find((name) => !tables.hasParty(name))
    if (party === undefined) throw new Error(`no party id is left for the hint ${hint}`)
    const recordTime = this.#timeFrom(now)
    const participantId = participantOf(tables.identity)
    this.#append({ kind: 'party', recordTime, party, userId, participantId }, null)
    return party
  }

  /** Record times strictly increase, even if the clock goes back. */
  #timeFrom(now: Micros): Micros {
    return Math.max(now, this.#tail.recordTime + 1)
  }

  /** 64 hex digits that are unique to the next update. */
  get #nextDigest(): string {
    const { offset, recordTime } = this.#tail
    return hash('sha256', `${this.#tables.identity.synchronizerId}\n${offset + 1}\n${recordTime}`, 'hex')
  }

  #append(content: Content, key: Uint8Array | null): Update {
    const { offset: last, nextNode } = this.#tail
    const { synchronizerId } = this.#tables.identity
    const offset = last + 1
    const update: Update = {
      ...content,
      offset,
      updateId: updateIdOf(offset, this.#nextDigest),
      synchronizerId,
    }
    const touched = this.#tables.append(update, nextNode, key)
    const nodes = update.kind === 'party' ? 0 : update.nodes.length
    this.#tail = { offset, recordTime: update.recordTime, nextNode: nextNode + nodes }
    this.#update = { offset, touched }
    return update
  }

  #resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#tell({ kind: 'writes-resumed' })
  }

  #rollBack(): void {
    const { db } = this.#tables
    try {
      if (db.isTransaction) db.exec('ROLLBACK')
    } catch (error) {
      this.stop(new LedgerUnavailable(`The ledger takes no writes, it cannot undo one: ${faultText(error)}.`))
    }
  }

  #faulty(fault: FileFault, text: string): LedgerUnavailable {
    if (!isPassing(fault)) {
      const message = `The ledger takes no writes, its file is ${fault}: ${text}.`
      const why = fault === 'damaged' ? new LedgerDamaged(message) : new LedgerUnavailable(message)
      this.stop(why)
      return this.#stopped ?? why
    }
    const until = fault === 'full' ? 'there is room for its file' : 'its file may be written'
    const reason = `The ledger takes no writes until ${until}: ${text}.`
    if (!this.#isPaused) this.#tell({ kind: 'writes-stopped', reason })
    this.#isPaused = true
    return new LedgerUnavailable(reason)
  }
}

function committed(transaction: Transaction, duplicate: boolean): Submitted {
  const [first] = transaction.nodes
  const result = first?.kind === 'exercise' ? first.result : null
  return { kind: 'committed', transaction, result, duplicate }
}

function unknownSubmitter(party: string): Refusal {
  return { kind: 'refused', code: 'UNKNOWN_SUBMITTERS', message: `This ledger knows no party ${party}` }
}

/**
 * Returns the key by which the ledger recognises a repeated submission: 128 bits, which are enough
 * for a unique key.
 */
function commandKey({ userId, actAs, commandId }: Submission): Uint8Array {
  const key = JSON.stringify([userId, [...new Set(actAs)].sort(), commandId])
  return hash('sha256', key, 'buffer').subarray(0, 16)
}
