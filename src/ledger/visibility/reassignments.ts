import type { Move, Reassignment } from '../update.ts'
import type { Catalog } from './catalog.ts'
import type { DeliveredReassignment, ReassignmentEvent } from './delivered.ts'
import { createdEvent, stakeholdersOf } from './events.ts'
import type { EventFormat } from './format.ts'
import type { ReadRights } from './rights.ts'
import { type EventSelection, selectionOf } from './selection.ts'

/**
 * A reader gets a contract if the format selects it for a stakeholder that the reader may read as.
 */
export function reassignmentView(
  format: EventFormat,
  rights: ReadRights,
  catalog: Catalog,
): (reassignment: Reassignment) => DeliveredReassignment | undefined {
  const selection = selectionOf(format, rights, catalog)
  return ({ updateId, commandId, actAs, workflowId, offset, moves, recordTime, synchronizerId }) => {
    const events = moves
      .map((move) => eventOf(move, offset, selection))
      .filter((event) => event !== undefined)
    if (events.length === 0) return undefined
    return {
      kind: 'reassignment',
      updateId,
      commandId: selection.readAs(actAs).length > 0 ? commandId : '',
      workflowId,
      offset,
      events,
      recordTime,
      synchronizerId,
    }
  }
}

function eventOf(move: Move, offset: number, selection: EventSelection): ReassignmentEvent | undefined {
  const { contract, nodeId, source, target, reassignmentId, submitter, reassignmentCounter } = move
  const shown = selection.select(contract, stakeholdersOf(contract))
  if (shown === undefined) return undefined
  if (move.kind === 'assign') {
    const created = createdEvent(move.contract, { offset, nodeId }, shown, true)
    return {
      kind: 'assigned',
      source,
      target,
      reassignmentId,
      submitter,
      reassignmentCounter,
      createdEvent: created,
    }
  }
  const { contractId, templateId, packageName } = contract
  return {
    kind: 'unassigned',
    reassignmentId,
    contractId,
    templateId,
    source,
    target,
    submitter,
    reassignmentCounter,
    assignmentExclusivity: move.assignmentExclusivity ?? null,
    witnessParties: shown.witnessParties,
    packageName,
    offset,
    nodeId,
  }
}
