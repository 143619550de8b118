import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type FileFault, faultText, fileFault, isPassing } from '../../lib/sqlite-faults.ts'
import type { Refusal, Submission } from '../command.ts'
import type { PartyAllocated, Transaction, Update } from '../update.ts'
import type { Micros } from '../value.ts'
import { type ChainTail, chainedId, commandKey, textDigest } from './chain.ts'
import { encode, type StoredUpdate } from './encoding.ts'
import { type Identity, participantOf } from './identity.ts'
import type { Interpreter } from './interpreter.ts'
import { candidatePartyIds } from './party-ids.ts'
import {
  type Committed,
  type LedgerEvent,
  packThrown,
  type Thrown,
  type ThrownUnavailable,
  type Write,
  type WriteReply,
} from './protocol.ts'
import type { State } from './state.ts'

export interface WriterDeps {
  readonly db: DatabaseSync
  readonly state: State
  readonly identity: Identity
  readonly interpreter: Interpreter
  readonly tell: (event: LedgerEvent) => void
}

export interface CommitGroup {
  readonly updates: readonly Committed[]
  readonly results: readonly WriteReply[]
}

type Content =
  | Omit<Transaction, 'offset' | 'updateId' | 'synchronizerId'>
  | Omit<PartyAllocated, 'offset' | 'updateId' | 'synchronizerId'>

/**
 * The maximum number of updates that one commit prunes. Other writes wait for that commit, so it
 * must stay short.
 */
const prunedAtOnce = 500

export class Writer {
  readonly #deps: WriterDeps
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  #tail: ChainTail
  #updates: Committed[] = []
  #stopped: ThrownUnavailable | undefined
  #isPaused = false

  constructor(tail: ChainTail, deps: WriterDeps) {
    this.#tail = tail
    this.#deps = deps
    this.#begin = deps.db.prepare('BEGIN IMMEDIATE')
    this.#commit = deps.db.prepare('COMMIT')
  }

  stop(why: ThrownUnavailable): void {
    if (this.#stopped !== undefined) return
    this.#stopped = why
    this.#deps.tell({ kind: 'writes-stopped', reason: why.message })
  }

  /**
   * Carries out a group of writes in one commit. If a write throws, the whole group is undone. If
   * the file is at fault, all writes of the group fail; otherwise, each write is repeated in a
   * commit of its own.
   */
  write(writes: readonly Write[]): CommitGroup {
    if (this.#stopped !== undefined) return failed(writes, this.#stopped)
    const before = this.#tail
    this.#updates = []
    try {
      this.#begin.run()
      const results = writes.map((write) => this.#one(write))
      this.#commit.run()
      this.#resume()
      return { updates: this.#updates, results }
    } catch (error) {
      this.#tail = before
      this.#rollBack()
      const fault = fileFault(error)
      if (fault !== undefined) return this.#faulty(writes, fault, faultText(error))
      return writes.length === 1 ? failed(writes, packThrown(error)) : this.#oneByOne(writes)
    }
  }

  #oneByOne(writes: readonly Write[]): CommitGroup {
    const groups = writes.map((write) => this.write([write]))
    return {
      updates: groups.flatMap(({ updates }) => updates),
      results: groups.flatMap(({ results }) => results),
    }
  }

  #one(write: Write): WriteReply {
    switch (write.kind) {
      case 'submit':
        return this.#submit(write.submission, write.now)
      case 'allocate':
        return this.#allocate(write.userId, write.hint, write.now)
      case 'set':
        this.#deps.state.settings.set(write.party, write.key, write.value)
        return { kind: 'set' }
      case 'prune':
        return this.#prune(write.upTo)
    }
  }

  #prune(upTo: number): WriteReply {
    const { log, pruning } = this.#deps.state
    const from = pruning.upTo.offset
    // The last update is never pruned, because the id of the next update is computed from its id.
    const to = Math.min(upTo, from + prunedAtOnce, this.#tail.offset - 1)
    if (to > from) pruning.prune(log.momentAfter(to))
    return { kind: 'pruned', upTo: pruning.upTo.offset }
  }

  #submit(submission: Submission, now: Micros): WriteReply {
    const { state, interpreter } = this.#deps
    const key = commandKey(submission)
    const known = state.log.offsetOfCommand(key)
    if (known !== undefined) return this.#again(known)
    const unknown = submission.actAs.find((party) => !state.parties.has(party))
    if (unknown !== undefined) return unknownSubmitter(unknown)

    const recordTime = this.#timeFrom(now)
    const outcome = interpreter.interpret(submission, {
      now: recordTime,
      seed: textDigest(`${this.#tail.updateId}\n${key}`),
      firstNode: this.#tail.nextNode,
      contract: (contractId) => state.find(contractId)?.contract,
    })
    if (outcome.kind === 'refused') return outcome
    const { commandId, userId, actAs, workflowId } = submission
    const content: Content = {
      kind: 'transaction',
      recordTime,
      effectiveAt: recordTime,
      commandId,
      userId,
      actAs,
      workflowId,
      nodes: outcome.nodes,
    }
    return { kind: 'committed', update: this.#append(content, key), duplicate: false }
  }

  #again(offset: number): WriteReply {
    const [known] = this.#deps.state.log.updates(offset - 1, offset, 1)
    if (known === undefined) throw new Error(`update ${offset} was just there`)
    return { kind: 'committed', update: known.update, duplicate: true }
  }

  #allocate(userId: string, hint: string, now: Micros): WriteReply {
    const { state, identity } = this.#deps
    const known = state.parties.ofUser(userId)
    if (known !== undefined) return { kind: 'party', party: known }
    const party = candidatePartyIds(userId, hint, identity.namespace).find((name) => !state.parties.has(name))
    if (party === undefined) throw new Error(`no party id is left for the hint ${hint}`)
    const recordTime = this.#timeFrom(now)
    const participantId = participantOf(identity)
    this.#append({ kind: 'party', recordTime, party, userId, participantId })
    return { kind: 'party', party }
  }

  /** Record times strictly increase, even if the main thread's clock goes back. */
  #timeFrom(now: Micros): Micros {
    return Math.max(now, this.#tail.recordTime + 1)
  }

  #append(content: Content, key?: string): StoredUpdate {
    const { state, identity } = this.#deps
    const { updateId: previousId, offset: last, nextNode } = this.#tail
    const { head, nodes } = encode(content)
    const { kind, recordTime } = content
    const unstored = { offset: last + 1, kind, recordTime, head, nodes }
    const digests = nodes.map(textDigest)
    const stored = { ...unstored, updateId: chainedId(previousId, unstored, digests) }
    const { offset, updateId } = stored
    const update: Update = { ...content, offset, updateId, synchronizerId: identity.synchronizerId }

    state.log.add(stored, nextNode, digests, key)
    const touched = state.fold(update, nextNode)
    this.#tail = { offset, updateId, recordTime, nextNode: nextNode + nodes.length }
    this.#updates.push({ offset, touched, update: stored })
    return stored
  }

  #resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#deps.tell({ kind: 'writes-resumed' })
  }

  #rollBack(): void {
    const { db, state } = this.#deps
    state.forget()
    try {
      if (db.isTransaction) db.exec('ROLLBACK')
    } catch (error) {
      this.stop(unavailable(`The ledger takes no writes, it cannot undo one: ${faultText(error)}.`))
    }
  }

  #faulty(writes: readonly Write[], fault: FileFault, text: string): CommitGroup {
    if (!isPassing(fault)) {
      const kind = fault === 'damaged' ? 'damaged' : 'unavailable'
      const why = { kind, message: `The ledger takes no writes, its file is ${fault}: ${text}.` } as const
      this.stop(why)
      return failed(writes, this.#stopped ?? why)
    }
    const until = fault === 'full' ? 'there is room for its file' : 'its file may be written'
    const reason = `The ledger takes no writes until ${until}: ${text}.`
    if (!this.#isPaused) this.#deps.tell({ kind: 'writes-stopped', reason })
    this.#isPaused = true
    return failed(writes, unavailable(reason))
  }
}

function failed(writes: readonly Write[], thrown: Thrown): CommitGroup {
  return { updates: [], results: writes.map(() => ({ kind: 'failed', thrown })) }
}

function unavailable(message: string): ThrownUnavailable {
  return { kind: 'unavailable', message }
}

function unknownSubmitter(party: string): Refusal {
  return { kind: 'refused', code: 'UNKNOWN_SUBMITTERS', message: `This ledger knows no party ${party}` }
}
