import { hash } from 'node:crypto'
import { type FileFault, faultText, fileFault, isPassing } from '../../../base/lib/sqlite-faults.ts'
import { interpret } from '../daml/interpret.ts'
import type { Refusal } from '../daml/refused.ts'
import { candidatePartyIds } from '../identifiers.ts'
import { type Committed, LedgerUnavailable, type Submission } from '../ledger.ts'
import type { Touched, Transaction } from '../update.ts'
import type { Micros, Party } from '../value.ts'
import type { SetAside } from './database.ts'
import type { Content, LogTail, Tables } from './tables.ts'

export type LedgerEvent =
  | SetAside
  | { readonly kind: 'writes-stopped'; readonly reason: string }
  | { readonly kind: 'writes-resumed' }
  | { readonly kind: 'watcher-failed'; readonly error: unknown }

export type Submitted = (Committed & { readonly transaction: Transaction }) | Refusal

export type Watcher = (touched: Touched, offset: number) => void

export class Writer {
  readonly #tables: Tables
  readonly #tell: (event: LedgerEvent) => void
  readonly #committed: Watcher
  #tail: LogTail
  #touched: Touched | undefined
  #stopped: { readonly reason: string; readonly forGood: boolean } | undefined

  /** @param committed called after the commit of each update. */
  constructor(tables: Tables, tell: (event: LedgerEvent) => void, committed: Watcher) {
    this.#tables = tables
    this.#tail = tables.tail()
    this.#tell = tell
    this.#committed = committed
  }

  get tail(): LogTail {
    return this.#tail
  }

  get writesStopped(): string | undefined {
    return this.#stopped?.reason
  }

  /** Tells once that writes fail. After a fault that does not pass by itself, no write is tried again. */
  stop(fault: FileFault, text: string): void {
    if (this.#stopped?.forGood === true || (this.#stopped && isPassing(fault))) return
    const until = fault === 'full' ? 'there is room for its file' : 'its file may be written'
    const why = isPassing(fault) ? ` until ${until}` : `, its file is ${fault}`
    const reason = `The ledger takes no writes${why}: ${text}.`
    this.#stopped = { reason, forGood: !isPassing(fault) }
    this.#tell({ kind: 'writes-stopped', reason })
  }

  /**
   * Carries out a write in one commit. If it throws, it has changed nothing.
   * @throws LedgerUnavailable if the file is at fault.
   */
  commit<W>(write: () => W): W {
    const { db } = this.#tables
    if (this.#stopped?.forGood === true) throw new LedgerUnavailable(this.#stopped.reason)
    const before = this.#tail
    this.#touched = undefined
    let value: W
    try {
      db.exec('BEGIN IMMEDIATE')
      value = write()
      db.exec('COMMIT')
    } catch (error) {
      this.#tail = before
      this.#rollBack()
      const fault = fileFault(error)
      if (fault === undefined) throw error
      this.stop(fault, faultText(error))
      throw new LedgerUnavailable(this.#stopped?.reason)
    }
    if (this.#stopped !== undefined) this.#tell({ kind: 'writes-resumed' })
    this.#stopped = undefined
    if (this.#touched !== undefined) this.#committed(this.#touched, this.#tail.offset)
    return value
  }

  submit(submission: Submission, now: Micros): Submitted {
    const tables = this.#tables
    const key = commandKey(submission)
    const known = tables.offsetOfCommand(key)
    if (known !== undefined) return committed(tables, known, true)
    const unknown = submission.actAs.find((party) => tables.offsetOfParty(party) === undefined)
    if (unknown !== undefined) return unknownSubmitter(unknown)

    const recordTime = this.#timeFrom(now)
    const offset = this.#tail.offset + 1
    const outcome = interpret(submission, {
      now: recordTime,
      contractIdAt: (nodeId) => tables.contractIdAt(offset, nodeId),
      contract: (contractId) => tables.contract(contractId),
    })
    if (outcome.kind === 'refused') return outcome
    const { commandId, userId, actAs } = submission
    const times = { recordTime, effectiveAt: recordTime }
    this.#append({ ...outcome, ...times, commandId, userId, actAs }, key)
    return committed(tables, offset, false)
  }

  allocate(userId: string, hint: string, now: Micros): Party {
    const tables = this.#tables
    const known = tables.partyOf(userId)
    if (known !== undefined) return known
    const { namespace } = tables.identity
    const party = candidatePartyIds(userId, hint, namespace).find(
      (name) => tables.offsetOfParty(name) === undefined,
    )
    if (party === undefined) throw new Error(`no party id is left for the hint ${hint}`)
    this.#append({ kind: 'party', recordTime: this.#timeFrom(now), party, userId }, null)
    return party
  }

  /** Record times strictly increase, even if the clock goes back. */
  #timeFrom(now: Micros): Micros {
    return Math.max(now, this.#tail.recordTime + 1)
  }

  #append(content: Content, key: Uint8Array | null): void {
    const offset = this.#tail.offset + 1
    this.#touched = this.#tables.append(offset, content, key)
    this.#tail = { offset, recordTime: content.recordTime }
  }

  #rollBack(): void {
    const { db } = this.#tables
    try {
      if (db.isTransaction) db.exec('ROLLBACK')
    } catch (error) {
      this.stop('broken', `it cannot undo a write: ${faultText(error)}`)
    }
  }
}

function committed(tables: Tables, offset: number, duplicate: boolean): Submitted {
  const [transaction] = tables.updates(offset - 1, offset, 1)
  if (transaction?.kind !== 'transaction') throw new Error(`update ${offset} was just there`)
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
