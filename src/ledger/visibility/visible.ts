import type { ActiveContract, PartyAllocated, Update } from '../update.ts'
import type { Catalog } from './catalog.ts'
import type { DeliveredContract, DeliveredTopologyTransaction, DeliveredUpdate } from './delivered.ts'
import { createdEvent, stakeholdersOf } from './events.ts'
import type { EventFormat, TopologyFormat, UpdateFormat } from './format.ts'
import { mayReadAs, type ReadRights } from './rights.ts'
import { selectionOf } from './selection.ts'
import { transactionView } from './transactions.ts'

export type UpdateView = (update: Update) => DeliveredUpdate | undefined

/**
 * Makes the function that reduces updates to what one reader gets. `transactions.ts` goes through
 * the nodes of a transaction, `selection.ts` decides about each contract, and `events.ts` makes the
 * events. The ledger has one synchronizer and therefore no reassignments.
 */
export function updateView(format: UpdateFormat, rights: ReadRights, catalog: Catalog): UpdateView {
  const { includeTransactions, includeTopologyEvents } = format
  const transactions = includeTransactions && transactionView(includeTransactions, rights, catalog)
  const topology = includeTopologyEvents && topologyView(includeTopologyEvents, rights)
  return (update) => {
    switch (update.kind) {
      case 'transaction':
        return transactions?.(update)
      case 'party':
        return topology?.(update)
    }
  }
}

export type ContractView = (active: ActiveContract) => DeliveredContract | undefined

/** Shows a contract only to readers who may read as one of its stakeholders. */
export function contractView(format: EventFormat, rights: ReadRights, catalog: Catalog): ContractView {
  const selection = selectionOf(format, rights, catalog)
  return ({ contract, offset, nodeId, workflowId, synchronizerId }) => {
    const shown = selection.select(contract, stakeholdersOf(contract))
    if (shown === undefined) return undefined
    const created = createdEvent(contract, { offset, nodeId }, shown, true)
    return { workflowId, createdEvent: created, synchronizerId }
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
