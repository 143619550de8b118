import type { PartyAllocated } from '../update.ts'
import type { DeliveredTopologyTransaction } from './delivered.ts'
import type { TopologyFormat } from './format.ts'
import { mayReadAs, type ReadRights } from './rights.ts'

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
