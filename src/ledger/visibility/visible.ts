import type { ActiveContract, PartyAllocated, Reassignment, Update } from '../update.ts'
import type { Catalog } from './catalog.ts'
import type { DeliveredContract, DeliveredTopologyTransaction, DeliveredUpdate } from './delivered.ts'
import { createdEvent, stakeholdersOf } from './events.ts'
import type { EventFormat, TopologyFormat, UpdateFormat } from './format.ts'
import { reassignmentView } from './reassignments.ts'
import { mayReadAs, type ReadRights } from './rights.ts'
import { selectionOf } from './selection.ts'
import { transactionView } from './transactions.ts'

/** Returns the parts of an update that its reader may see; undefined if the reader may see nothing of it. */
export type UpdateView = (update: Update | Reassignment) => DeliveredUpdate | undefined

/**
 * Returns a function that reduces updates to the parts that one reader gets. The format selects these parts,
 * and the rights of the reader must cover them. Call `updateView` once for each request.
 * `transactions.ts` goes through the nodes of a transaction, `selection.ts` decides about each contract, and
 * `events.ts` makes the events.
 */
export function updateView(format: UpdateFormat, rights: ReadRights, catalog: Catalog): UpdateView {
  const { includeTransactions, includeReassignments, includeTopologyEvents } = format
  const transactions = includeTransactions && transactionView(includeTransactions, rights, catalog)
  const reassignments = includeReassignments && reassignmentView(includeReassignments, rights, catalog)
  const topology = includeTopologyEvents && topologyView(includeTopologyEvents, rights)
  return (update) => {
    switch (update.kind) {
      case 'transaction':
        return transactions?.(update)
      case 'reassignment':
        return reassignments?.(update)
      case 'party':
        return topology?.(update)
    }
  }
}

/**
 * Returns the parts of an active contract that its reader may see; undefined if the reader may see nothing of
 * it.
 */
export type ContractView = (active: ActiveContract) => DeliveredContract | undefined

/**
 * Returns a function that reduces active contracts to the parts that one reader gets. It shows a contract
 * only to readers who may read as one of its stakeholders. A stream of updates with the shape `ACS_DELTA`
 * follows the same rule (`format.ts`).
 */
export function contractView(format: EventFormat, rights: ReadRights, catalog: Catalog): ContractView {
  const selection = selectionOf(format, rights, catalog)
  return ({ contract, offset, nodeId, workflowId, synchronizerId }) => {
    const shown = selection.select(contract, stakeholdersOf(contract))
    if (shown === undefined) return undefined
    const created = createdEvent(contract, { offset, nodeId }, shown, true)
    return { workflowId, createdEvent: created, synchronizerId, reassignmentCounter: 0 }
  }
}

function topologyView(
  { includeParticipantAuthorizationEvents }: TopologyFormat,
  rights: ReadRights,
): (update: PartyAllocated) => DeliveredTopologyTransaction | undefined {
  const parties = new Set(includeParticipantAuthorizationEvents?.parties)
  const isEveryParty = includeParticipantAuthorizationEvents?.parties.length === 0 && rights.readAsAnyParty
  return ({ updateId, offset, synchronizerId, recordTime, party, participantId }) => {
    if (!isEveryParty && !(parties.has(party) && mayReadAs(rights, party))) return undefined
    return {
      kind: 'topology-transaction',
      updateId,
      offset,
      synchronizerId,
      recordTime,
      events: [
        {
          kind: 'participant-authorization-added',
          partyId: party,
          participantId,
          participantPermission: 'SUBMISSION',
        },
      ],
    }
  }
}
