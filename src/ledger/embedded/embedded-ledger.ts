import { Worker } from 'node:worker_threads'
import type { Clock } from '../../lib/clock.ts'
import { workerFile } from '../../lib/worker-file.ts'
import type { Submission } from '../command.ts'
import {
  type HostedParty,
  type Ledger,
  LedgerUnavailable,
  type Outcome,
  type PartyFilter,
  type PrintedUpdates,
  type PrintRequest,
  reportingOutcome,
  type WriteOutcome,
} from '../ledger.ts'
import type { ActiveContract, EventPosition, OffsetCheckpoint, Transaction, Update } from '../update.ts'
import type { Micros, Party } from '../value.ts'
import { CommitListeners, type Subscriber, type SubscriberFailed, type Watcher } from './commit-listeners.ts'
import { contractReads, limitOf } from './contract-reads.ts'
import { decodeActive, decodeUpdate } from './encoding.ts'
import { type Identity, participantOf } from './identity.ts'
import {
  type LedgerEvent,
  type NoService,
  type ReadKind,
  type Reads,
  type ServiceProtocol,
  type Start,
  unpackThrown,
  type Write,
  type WriteReply,
} from './protocol.ts'
import { ThreadClient, type Unanswered } from './thread-client.ts'

export interface EmbeddedLedgerOptions {
  /** If undefined, the ledger is in memory and is lost when it closes. */
  readonly file?: string
  readonly maxBytes?: number
  readonly identity?: Identity
}

export interface EmbeddedLedgerDeps<P extends ServiceProtocol = NoService> {
  readonly clock: Clock
  readonly tell?: (event: LedgerEvent | SubscriberFailed) => void
  readonly wrote?: (outcome: WriteOutcome) => void
  /**
   * The module of the ledger's worker thread, which must call `serveLedger`. The default module has
   * Splice's templates and no service.
   */
  readonly threadModule?: URL
  readonly serviceEvent?: (event: P['event']) => void
}

/**
 * Opens a ledger, or creates it. Until the ledger is closed, no other process can use its file.
 * @throws LedgerUnavailable if the file cannot be opened, for example because it is in use.
 */
export async function openEmbeddedLedger<P extends ServiceProtocol = NoService>(
  options: EmbeddedLedgerOptions,
  deps: EmbeddedLedgerDeps<P>,
): Promise<EmbeddedLedger<P>> {
  const { file, maxBytes, identity } = options
  const start: Start = { file, maxBytes, identity }
  const worker = new Worker(deps.threadModule ?? workerFile(import.meta.url, 'worker'), {
    workerData: start,
    name: 'ledger',
  })
  const ledger = new EmbeddedLedger<P>(worker, deps)
  await ledger.opened
  return ledger
}

/**
 * A ledger in one SQLite file. Only the ledger's own thread opens the file, so a commit never
 * blocks the main thread. Subscribers receive a transaction before `submit` resolves.
 */
export class EmbeddedLedger<P extends ServiceProtocol = NoService> implements Ledger {
  readonly opened: Promise<unknown>
  readonly contract: Ledger['contract']
  readonly contracts: Ledger['contracts']
  readonly entries: Ledger['entries']
  readonly due: Ledger['due']
  readonly setting: Ledger['setting']
  readonly #deps: EmbeddedLedgerDeps<P>
  readonly #listeners: CommitListeners
  readonly #client: ThreadClient
  #identity: Identity | undefined
  #prunedUpTo = 0
  #writesStopped: string | undefined

  constructor(worker: Worker, deps: EmbeddedLedgerDeps<P>) {
    this.#deps = deps
    this.#client = new ThreadClient(worker, {
      clock: deps.clock,
      opened: ({ identity, prunedUpTo }) => {
        this.#identity = identity
        this.#prunedUpTo = prunedUpTo
      },
      stepsOf: (message) => this.#stepsOf(message),
      failed: (reason) => deps.tell?.({ kind: 'writes-stopped', reason }),
    })
    this.opened = this.#client.opened
    const reads = contractReads((kind, takes) => this.#read(kind, takes))
    this.contract = reads.contract
    this.contracts = reads.contracts
    this.entries = reads.entries
    this.due = reads.due
    this.setting = reads.setting
    this.#listeners = new CommitListeners({
      follow: (whole) => this.#client.send({ kind: 'follow', whole }),
      failed: (error) => deps.tell?.({ kind: 'subscriber-failed', error }),
    })
  }

  get synchronizerId(): string {
    return this.#known.synchronizerId
  }

  get participantId(): string {
    return participantOf(this.#known)
  }

  get writesStopped(): string | undefined {
    return this.#client.ended ?? this.#writesStopped
  }

  async submit(submission: Submission): Promise<Outcome> {
    const written = await this.#write({ kind: 'submit', submission, now: this.#now() })
    if (written.kind === 'refused') return written
    if (written.kind !== 'committed') throw unexpected(written)
    return { kind: 'committed', transaction: written.update as Transaction, duplicate: written.duplicate }
  }

  async partyOf(userId: string, hint: string): Promise<Party> {
    const known = await this.findParty(userId)
    if (known !== undefined) return known
    const written = await this.#write({ kind: 'allocate', userId, hint, now: this.#now() })
    if (written.kind !== 'party') throw unexpected(written)
    return written.party
  }

  findParty(userId: string): Promise<Party | undefined> {
    return this.#read('party', { userId })
  }

  allocatedAt(party: Party): Promise<number | undefined> {
    return this.#read('allocated-at', { party })
  }

  async hosts(party: Party): Promise<boolean> {
    return (await this.allocatedAt(party)) !== undefined
  }

  parties(filter: PartyFilter): Promise<readonly HostedParty[]> {
    return this.#read('parties', { filter })
  }

  end(): Promise<number> {
    return this.#read('end', {})
  }

  async prunedUpTo(): Promise<number> {
    return this.#prunedUpTo
  }

  /**
   * Active contracts and the last update are never pruned. The updates are pruned in several
   * commits, so that other writes need not wait long.
   * @returns the offset up to which updates are pruned.
   */
  async prune(upTo: number): Promise<number> {
    for (;;) {
      const before = this.#prunedUpTo
      const written = await this.#write({ kind: 'prune', upTo })
      if (written.kind !== 'pruned') throw unexpected(written)
      if (written.upTo >= upTo || written.upTo === before) return written.upTo
    }
  }

  /**
   * Returns the offset of the last update with this record time or an earlier one. If that update
   * is pruned, returns the offset of the last pruned update.
   */
  offsetAt(recordTime: Micros): Promise<number> {
    return this.#read('offset-at', { recordTime })
  }

  async checkpoint(): Promise<OffsetCheckpoint> {
    const last = await this.#read('reached', {})
    if (last === undefined) return { kind: 'offset-checkpoint', offset: 0, synchronizerTimes: [] }
    const { offset, recordTime } = last
    const synchronizerTimes = [{ synchronizerId: this.synchronizerId, recordTime }]
    return { kind: 'offset-checkpoint', offset, synchronizerTimes }
  }

  async findUpdate(updateId: string): Promise<Update | undefined> {
    const stored = await this.#read('update', { updateId })
    return stored === undefined ? undefined : decodeUpdate(stored, this.#known)
  }

  async updates(after: number, upTo: number, limit: number): Promise<readonly Update[]> {
    const stored = await this.#read('updates', { after, upTo, limit: limitOf(limit) })
    return stored.map((update) => decodeUpdate(update, this.#known))
  }

  printed(request: PrintRequest): Promise<PrintedUpdates> {
    return this.#read('printed', { request })
  }

  watch(watch: Watcher): () => void {
    return this.#listeners.watch(watch)
  }

  subscribe(receive: Subscriber): () => void {
    return this.#listeners.subscribe(receive)
  }

  askService(request: P['request']): Promise<P['answer']> {
    return this.#client.request((id) => ({ kind: 'ask', id, request, now: this.#now() }))
  }

  async activeContracts(
    at: number,
    limit: number,
    after?: EventPosition,
  ): Promise<readonly ActiveContract[]> {
    const stored = await this.#read('active', { at, limit: limitOf(limit), after })
    return stored.map((active) => decodeActive(active, this.#known))
  }

  async setSetting(party: Party, key: string, value: string): Promise<void> {
    const written = await this.#write({ kind: 'set', party, key, value })
    if (written.kind !== 'set') throw unexpected(written)
  }

  /**
   * Earlier reads, writes and service requests still finish. A service request that waits for
   * something outside of the ledger rejects with `LedgerUnavailable`.
   */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#client[Symbol.asyncDispose]()
  }

  get #known(): Identity {
    if (this.#identity === undefined) throw new LedgerUnavailable('The ledger is not open yet.')
    return this.#identity
  }

  #now(): Micros {
    return Math.round(this.#deps.clock.wall() * 1_000)
  }

  #write(write: Write): Promise<WriteReply<Update>> {
    return reportingOutcome(
      this.#deps.wrote ?? ignored,
      this.#client.request<WriteReply<Update>>((id) => ({ kind: 'write', id, write })),
    )
  }

  #read<K extends ReadKind>(kind: K, takes: Reads[K]['takes']): Promise<Reads[K]['gives']> {
    return this.#client.request((id) => ({ kind: 'read', id, read: { kind, ...takes } as never }))
  }

  #stepsOf(message: Unanswered): readonly (() => void)[] {
    switch (message.kind) {
      case 'written':
        for (const outcome of message.own) this.#deps.wrote?.(outcome)
        return this.#listeners.writtenSteps(message, this.#known, (...settled) => this.#settle(...settled))
      case 'event':
        return [() => this.#handleEvent(message.event)]
      case 'service-event':
        return [() => this.#deps.serviceEvent?.(message.event)]
    }
  }

  #handleEvent(event: LedgerEvent): void {
    if (event.kind === 'writes-stopped') this.#writesStopped = event.reason
    if (event.kind === 'writes-resumed') this.#writesStopped = undefined
    this.#deps.tell?.(event)
  }

  #settle(id: number, written: WriteReply, update: Update | undefined): void {
    const settle = this.#client.take(id)
    if (written.kind === 'pruned') this.#prunedUpTo = written.upTo
    if (written.kind === 'failed') settle?.reject(unpackThrown(written.thrown))
    else settle?.resolve((update === undefined ? written : { ...written, update }) as never)
  }
}

const ignored = () => {}

function unexpected({ kind }: WriteReply<Update>): Error {
  return new Error(`the ledger's thread answered ${kind}`)
}
