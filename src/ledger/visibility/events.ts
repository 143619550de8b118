import type { Contract, EventPosition, ExerciseNode } from '../update.ts'
import type { Party } from '../value.ts'
import type { ArchivedEvent, CreatedEvent, ExercisedEvent, InterfaceView } from './delivered.ts'
import type { EventProjection } from './selection.ts'

export function stakeholdersOf({
  signatories,
  observers,
}: Pick<Contract, 'signatories' | 'observers'>): readonly Party[] {
  return observers.length === 0 ? signatories : [...signatories, ...observers]
}

export function createdEvent(
  contract: Contract,
  { offset, nodeId }: EventPosition,
  projection: EventProjection,
  acsDelta: boolean,
): CreatedEvent {
  return {
    kind: 'created',
    offset,
    nodeId,
    contract,
    createdEventBlob: projection.createdEventBlob ? contract.createdEventBlob : '',
    interfaceViews: viewsOf(contract, projection),
    witnessParties: projection.witnessParties,
    acsDelta,
  }
}

export function archivedEvent(
  { nodeId, contractId, templateId, packageName }: ExerciseNode,
  offset: number,
  { witnessParties, viewed }: EventProjection,
): ArchivedEvent {
  const implementedInterfaces = viewed.map(({ interfaceId }) => interfaceId)
  return {
    kind: 'archived',
    offset,
    nodeId,
    contractId,
    templateId,
    witnessParties,
    packageName,
    implementedInterfaces,
  }
}

export function exercisedEvent(
  node: ExerciseNode,
  offset: number,
  { witnessParties, viewed }: EventProjection,
  acsDelta: boolean,
): ExercisedEvent {
  const { nodeId, contractId, templateId, choice, consuming } = node
  return {
    kind: 'exercised',
    offset,
    nodeId,
    contractId,
    templateId,
    interfaceId: null,
    choice,
    choiceArgument: node.argument,
    actingParties: node.actingParties,
    consuming,
    witnessParties,
    lastDescendantNodeId: node.lastDescendantNodeId,
    exerciseResult: node.result,
    packageName: node.packageName,
    implementedInterfaces: consuming ? viewed.map(({ interfaceId }) => interfaceId) : [],
    acsDelta,
  }
}

function viewsOf(contract: Contract, { viewed }: EventProjection): readonly InterfaceView[] {
  if (viewed.length === 0) return []
  const { argument } = contract
  return viewed.map(({ interfaceId, instance, packageId }) => ({
    interfaceId,
    viewStatus: { code: 0, message: '', details: [] },
    viewValue: instance.view(argument),
    implementationPackageId: packageId,
  }))
}
