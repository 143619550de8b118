import type { Ledger } from '../../ledger/ledger.ts'
import type { ActiveContract, EventPosition, Node, Transaction, Update } from '../../ledger/update.ts'
import { isoTime, type Micros } from './contract.ts'
import type { History, JsonObject, Recorded } from './history.ts'
import { migrationId } from './network.ts'
import { createdBefore, inOrderOfCreation, type ServedContract } from './snapshots.ts'

export interface HistoryLedger extends Pick<Ledger, 'updates' | 'findUpdate' | 'end'> {
  /** Returns the last offset whose record time is not later than `recordTime`. */
  offsetAt(recordTime: Micros): Promise<number>
}

/**
 * A ledger's transactions as the DSO's participant sees them: without the nodes (events) that the
 * DSO does not witness.
 */
export class LedgerHistory implements History {
  readonly complete = true
  readonly #ledger: HistoryLedger
  readonly #dso: string
  readonly #ingested: Micros | undefined

  constructor(ledger: HistoryLedger, dso: string, ingested: Micros | undefined) {
    this.#ledger = ledger
    this.#dso = dso
    this.#ingested = ingested
  }

  async after(time: Micros | undefined, limit: number): Promise<readonly Recorded[]> {
    const end = await this.#end()
    let at = time === undefined ? 0 : await this.#ledger.offsetAt(time)
    const found: Recorded[] = []
    while (at < end && found.length < limit) {
      const updates = await this.#ledger.updates(at, end, limit)
      found.push(...updates.flatMap((update) => recordedOf(update, this.#dso) ?? []))
      at = updates.at(-1)?.offset ?? end
    }
    return found.slice(0, limit)
  }

  async before(time: Micros | undefined, limit: number): Promise<readonly Recorded[]> {
    const end = await this.#end()
    let upTo = time === undefined ? end : Math.min(end, await this.#ledger.offsetAt(time - 1))
    const found: Recorded[] = []
    while (upTo > 0 && found.length < limit) {
      const after = Math.max(0, upTo - limit)
      const updates = await this.#ledger.updates(after, upTo, limit)
      found.push(...updates.toReversed().flatMap((update) => recordedOf(update, this.#dso) ?? []))
      upTo = after
    }
    return found.slice(0, limit)
  }

  async find(updateId: string): Promise<Recorded | undefined> {
    const update = await this.#ledger.findUpdate(updateId)
    if (update === undefined || update.recordTime > (this.#ingested ?? update.recordTime)) return undefined
    return recordedOf(update, this.#dso)
  }

  /**
   * Never finds an update. Only prepared transactions, which external parties sign, have a hash, and
   * the ledger has no such transactions.
   */
  async findByHash(): Promise<undefined> {}

  #end(): Promise<number> {
    return this.#ingested === undefined ? this.#ledger.end() : this.#ledger.offsetAt(this.#ingested)
  }
}

/**
 * Converts to the format of `/v2/updates` (ScanHttpEncodings.scala). Undefined if the update is no
 * transaction, or if the DSO witnesses none of its nodes.
 */
function recordedOf(update: Update, dso: string): Recorded | undefined {
  if (update.kind !== 'transaction') return undefined
  const seen = update.nodes.filter(({ witnesses }) => witnesses.includes(dso))
  if (seen.length === 0) return undefined
  const idOf = ({ nodeId }: Node) => `${update.updateId}:${nodeId}`
  const children = Map.groupBy(seen, (node) => parentOf(node, seen))
  const idsBelow = (node: Node | undefined) => (children.get(node) ?? []).map(idOf)
  return {
    at: update.recordTime,
    body: {
      update_id: update.updateId,
      migration_id: migrationId,
      workflow_id: '',
      record_time: isoTime(update.recordTime),
      synchronizer_id: update.synchronizerId,
      effective_at: isoTime(update.effectiveAt),
      root_event_ids: idsBelow(undefined),
      events_by_id: Object.fromEntries(
        seen.map((node) => [idOf(node), { event_id: idOf(node), ...eventOf(node, update, idsBelow(node)) }]),
      ),
    },
    externalHash: undefined,
    verdict: undefined,
  }
}

/** The parent of a node is its nearest ancestor that the DSO sees. */
function parentOf({ nodeId }: Node, seen: readonly Node[]): Node | undefined {
  return seen.findLast(
    (node) => node.kind === 'exercise' && node.nodeId < nodeId && node.lastDescendantNodeId >= nodeId,
  )
}

function eventOf(node: Node, { effectiveAt }: Transaction, children: readonly string[]): JsonObject {
  if (node.kind === 'create') {
    const { contractId, templateId, packageName, argument, signatories, observers } = node.contract
    return {
      event_type: 'created_event',
      contract_id: contractId,
      template_id: templateId,
      package_name: packageName,
      create_arguments: argument,
      created_at: isoTime(effectiveAt),
      signatories,
      observers,
    }
  }
  return {
    event_type: 'exercised_event',
    contract_id: node.contractId,
    template_id: node.templateId,
    package_name: node.packageName,
    choice: node.choice,
    choice_argument: node.argument,
    child_event_ids: children,
    exercise_result: node.result,
    consuming: node.consuming,
    acting_parties: node.actingParties,
    interface_id: null,
  }
}

export interface SnapshotLedger extends HistoryLedger, Pick<Ledger, 'activeContracts'> {}

const chunk = 1_000

/**
 * Reads the contracts of a snapshot: the made-up ones, and those of the ledger that the DSO sees
 * and that are active just before the snapshot's time.
 */
export class LedgerContents {
  readonly #ledger: SnapshotLedger
  readonly #dso: string
  readonly #madeUp: readonly ServedContract[]
  constructor(ledger: SnapshotLedger, dso: string, madeUp: readonly ServedContract[]) {
    this.#ledger = ledger
    this.#dso = dso
    this.#madeUp = madeUp
  }

  async at(time: Micros): Promise<readonly ServedContract[]> {
    const upTo = await this.#ledger.offsetAt(time - 1)
    const served: ServedContract[] = []
    for await (const batch of this.#active(upTo)) served.push(...batch.map(servedOf))
    return inOrderOfCreation([...served, ...createdBefore(this.#madeUp, time)])
  }

  async *#active(upTo: number): AsyncGenerator<readonly ActiveContract[]> {
    let after: EventPosition | undefined
    for (;;) {
      const batch = await this.#ledger.activeContracts(upTo, chunk, after)
      yield batch.filter((active) => isSeenBy(this.#dso, active))
      const last = batch.at(-1)
      if (last === undefined || batch.length < chunk) return
      after = { offset: last.offset, nodeId: last.nodeId }
    }
  }
}

function servedOf({ contract, updateId }: ActiveContract): ServedContract {
  return {
    created_in_update_id: updateId,
    contract_id: contract.contractId,
    template_id: contract.templateId,
    package_name: contract.packageName,
    create_arguments: contract.argument,
    created_at: isoTime(contract.createdAt),
    signatories: contract.signatories,
    observers: contract.observers,
  }
}

function isSeenBy(party: string, { contract }: ActiveContract): boolean {
  return contract.signatories.includes(party) || contract.observers.includes(party)
}
