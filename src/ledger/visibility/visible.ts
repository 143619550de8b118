import type { ActiveContract, PartyAllocated, Reassignment, Update } from '../update.ts'
import type { Catalog } from './catalog.ts'
import type { DeliveredContract, DeliveredTopologyTransaction, DeliveredUpdate } from './delivered.ts'
import { createdEvent, stakeholdersOf } from './events.ts'
import type { EventFormat, TopologyFormat, UpdateFormat } from './format.ts'
import { reassignmentView } from './reassignments.ts'
import { mayReadAs, type ReadRights } from './rights.ts'
import { selectionOf } from './selection.ts'
import { transactionView } from './transactions.ts'

/** What a reader is delivered of an update: nothing where none of its events is for the reader. */
export type UpdateView = (update: Update | Reassignment) => DeliveredUpdate | undefined

/**
 * How one reader sees updates, to be made once a request. It shows what the format asks for and the rights cover:
 * also where the request asked for more than it should have been let.
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

/** What a reader is delivered of an active contract: nothing where it is not for the reader. */
export type ContractView = (active: ActiveContract) => DeliveredContract | undefined

/** How one reader sees active contracts: as `updateView`, and as the shape `ACS_DELTA` shows what is created. */
export function contractView(format: EventFormat, rights: ReadRights, catalog: Catalog): ContractView {
  const selection = selectionOf(format, rights, catalog)
  return ({ contract, offset, nodeId, workflowId, synchronizerId }) => {
    const shown = selection.select(contract, stakeholdersOf(contract))
    if (shown === undefined) return undefined
    const created = createdEvent(contract, { offset, nodeId }, shown, true)
    return { workflowId, createdEvent: created, synchronizerId, reassignmentCounter: 0 }
  }
}

export function topologyView(
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
