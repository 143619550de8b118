import { timeOf } from '../../registry/ledger/daml/time.ts'
import type { EmbeddedLedger } from '../../registry/ledger/embedded/embedded-ledger.ts'
import type {
  ActiveContract,
  EventPosition,
  Node,
  Transaction,
  Update,
} from '../../registry/ledger/update.ts'
import type { JsonObject, Micros } from './contract.ts'
import type { History, RecordedTransaction } from './history.ts'
import { migrationId } from './network.ts'
import { createdBefore, inOrderOfCreation, type ServedContract } from './snapshots.ts'

/**
 * A ledger's transactions as the DSO's participant sees them: without the nodes (events) that the
 * DSO does not witness.
 * @param ingested the time of the last update that the node has; undefined if it has all of them.
 */
export function ledgerHistory(ledger: EmbeddedLedger, dso: string, ingested: Micros | undefined): History {
  const endOffset = () => (ingested === undefined ? ledger.end() : ledger.offsetAt(ingested))
  const seen = (updates: readonly Update[]) => updates.flatMap((update) => recordedOf(update, dso) ?? [])
  return {
    complete: true,
    async after(time, limit) {
      const end = await endOffset()
      let at = await ledger.offsetAt(time)
      const found: RecordedTransaction[] = []
      while (at < end && found.length < limit) {
        const updates = await ledger.updates(at, end, limit)
        found.push(...seen(updates))
        at = updates.at(-1)?.offset ?? end
      }
      return found.slice(0, limit)
    },
    async before(time, limit) {
      const end = await endOffset()
      let upTo = time === undefined ? end : Math.min(end, await ledger.offsetAt(time - 1))
      const found: RecordedTransaction[] = []
      while (upTo > 0 && found.length < limit) {
        const after = Math.max(0, upTo - limit)
        found.push(...seen(await ledger.updates(after, upTo, limit)).toReversed())
        upTo = after
      }
      return found.slice(0, limit)
    },
    async find(updateId) {
      const update = await ledger.findUpdate(updateId)
      if (update === undefined || update.recordTime > (ingested ?? update.recordTime)) return undefined
      return recordedOf(update, dso)
    },
    // Only prepared transactions, which external parties sign, have a hash, and the ledger has no
    // such transactions.
    findByHash: () => undefined,
  }
}

/**
 * Converts to the format of `/v2/updates` (ScanHttpEncodings.scala). Undefined if the update is no
 * transaction, or if the DSO witnesses none of its nodes.
 */
function recordedOf(update: Update, dso: string): RecordedTransaction | undefined {
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
      record_time: timeOf(update.recordTime),
      synchronizer_id: update.synchronizerId,
      effective_at: timeOf(update.effectiveAt),
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
    return { event_type: 'created_event', ...createdOf(node.contract, effectiveAt) }
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

const chunk = 1_000

/**
 * Returns the contracts of a snapshot: those of `madeUp`, and those of the ledger that the DSO sees
 * and that are active just before the snapshot's time.
 */
export async function ledgerContracts(
  ledger: EmbeddedLedger,
  dso: string,
  madeUp: readonly ServedContract[],
  time: Micros,
): Promise<readonly ServedContract[]> {
  const upTo = await ledger.offsetAt(time - 1)
  const served = [...createdBefore(madeUp, time)]
  let batch: readonly ActiveContract[]
  let after: EventPosition | undefined
  do {
    batch = await ledger.activeContracts(upTo, chunk, after)
    for (const { contract, updateId } of batch)
      if (contract.signatories.includes(dso))
        served.push({ created_in_update_id: updateId, ...createdOf(contract, contract.createdAt) })
    after = batch.at(-1)
  } while (batch.length === chunk)
  return inOrderOfCreation(served)
}

function createdOf(contract: Omit<ActiveContract['contract'], 'createdAt'>, at: Micros) {
  return {
    contract_id: contract.contractId,
    template_id: contract.templateId,
    package_name: contract.packageName,
    create_arguments: contract.argument,
    created_at: timeOf(at),
    signatories: contract.signatories,
    observers: [],
  }
}
