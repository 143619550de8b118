import type { Node, Transaction } from '../update.ts'
import type { ContractId } from '../value.ts'
import type { Catalog } from './catalog.ts'
import type { DeliveredTransaction, Event } from './delivered.ts'
import { archivedEvent, createdEvent, exercisedEvent, stakeholdersOf } from './events.ts'
import type { TransactionFormat, TransactionShape } from './format.ts'
import type { ReadRights } from './rights.ts'
import { type EventSelection, selectionOf } from './selection.ts'

/**
 * Returns the event that a reader gets for a node. `isTransient` is true if the transaction both
 * creates and archives the node's contract.
 */
type EventOfNode = (node: Node, offset: number, isTransient: boolean) => Event | undefined

export function transactionView(
  { eventFormat, transactionShape }: TransactionFormat,
  rights: ReadRights,
  catalog: Catalog,
): (transaction: Transaction) => DeliveredTransaction | undefined {
  const selection = selectionOf(eventFormat, rights, catalog)
  const eventOfNode = eventOfNodeByShape[transactionShape](selection)
  return (transaction) => {
    const { updateId, workflowId, effectiveAt, offset, synchronizerId, recordTime } = transaction
    const events = eventsOf(transaction, eventOfNode)
    if (events.length === 0) return undefined
    const commandId = selection.readAs(transaction.actAs).length > 0 ? transaction.commandId : ''
    return {
      kind: 'transaction',
      updateId,
      commandId,
      workflowId,
      effectiveAt,
      events,
      offset,
      synchronizerId,
      recordTime,
    }
  }
}

function eventsOf({ nodes, offset }: Transaction, eventOfNode: EventOfNode): readonly Event[] {
  const transient = transientIn(nodes)
  const events: Event[] = []
  for (const node of nodes) {
    const event = eventOfNode(node, offset, transient.size > 0 && transient.has(contractIdOf(node)))
    if (event !== undefined) events.push(event)
  }
  return events
}

const eventOfNodeByShape: Readonly<Record<TransactionShape, (selection: EventSelection) => EventOfNode>> = {
  ACS_DELTA: (selection) => (node, offset, isTransient) => {
    if (isTransient || (node.kind === 'exercise' && !node.consuming)) return undefined
    const contract = node.kind === 'create' ? node.contract : node
    const projection = selection.select(contract, stakeholdersOf(contract))
    if (projection === undefined) return undefined
    if (node.kind === 'exercise') return archivedEvent(node, offset, projection)
    return createdEvent(node.contract, { offset, nodeId: node.nodeId }, projection, true)
  },
  LEDGER_EFFECTS: (selection) => (node, offset, isTransient) => {
    const contract = node.kind === 'create' ? node.contract : node
    const projection = selection.select(contract, node.witnesses)
    if (projection === undefined) return undefined
    const changes = !isTransient && (node.kind === 'create' || node.consuming)
    const acsDelta = changes && selection.readAs(stakeholdersOf(contract)).length > 0
    if (node.kind === 'exercise') return exercisedEvent(node, offset, projection, acsDelta)
    return createdEvent(node.contract, { offset, nodeId: node.nodeId }, projection, acsDelta)
  },
}

function transientIn(nodes: readonly Node[]): ReadonlySet<ContractId> {
  if (!nodes.some((node) => node.kind === 'exercise' && node.consuming)) return none
  const created = new Set<ContractId>()
  const transient = new Set<ContractId>()
  for (const node of nodes) {
    if (node.kind === 'create') created.add(node.contract.contractId)
    else if (node.consuming && created.has(node.contractId)) transient.add(node.contractId)
  }
  return transient
}

const none: ReadonlySet<ContractId> = new Set()

function contractIdOf(node: Node): ContractId {
  return node.kind === 'create' ? node.contract.contractId : node.contractId
}
