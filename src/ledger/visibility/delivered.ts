import type { Contract } from '../update.ts'
import type { ContractId, DamlValue, Micros, Party, TemplateId } from '../value.ts'

// Updates and events as readers get them. All members except `kind` have the names and the order of Canton's JSON
// Ledger API.

/** An update as its reader sees it. */
export type DeliveredUpdate = DeliveredTransaction | DeliveredReassignment | DeliveredTopologyTransaction

export interface DeliveredTransaction {
  readonly kind: 'transaction'
  readonly updateId: string
  /** The command id. Empty if the reader may not read as any of the submitters. */
  readonly commandId: string
  readonly workflowId: string
  readonly effectiveAt: Micros
  /** The events, ordered by node id. There is at least one. */
  readonly events: readonly Event[]
  readonly offset: number
  readonly synchronizerId: string
  readonly recordTime: Micros
}

export type Event = CreatedEvent | ArchivedEvent | ExercisedEvent

export interface CreatedEvent {
  readonly kind: 'created'
  readonly offset: number
  readonly nodeId: number
  /** The created contract. In JSON its key is always null, because no template of this ledger has keys. */
  readonly contract: Contract
  /** The created-event blob in base64. Empty if the request did not ask for it. */
  readonly createdEventBlob: string
  readonly interfaceViews: readonly InterfaceView[]
  readonly witnessParties: readonly Party[]
  /** Whether the event would also be delivered in the shape `ACS_DELTA`, for the same parties. */
  readonly acsDelta: boolean
}

export interface InterfaceView {
  readonly interfaceId: TemplateId
  readonly viewStatus: { readonly code: 0; readonly message: ''; readonly details: readonly [] }
  readonly viewValue: DamlValue
  readonly implementationPackageId: string
}

export interface ArchivedEvent {
  readonly kind: 'archived'
  readonly offset: number
  readonly nodeId: number
  readonly contractId: ContractId
  readonly templateId: TemplateId
  readonly witnessParties: readonly Party[]
  readonly packageName: string
  /** Those interfaces whose views the request asked for. */
  readonly implementedInterfaces: readonly TemplateId[]
}

export interface ExercisedEvent {
  readonly kind: 'exercised'
  readonly offset: number
  readonly nodeId: number
  readonly contractId: ContractId
  readonly templateId: TemplateId
  /** Always null, because no choice of this ledger belongs to an interface. */
  readonly interfaceId: null
  readonly choice: string
  readonly choiceArgument: DamlValue
  readonly actingParties: readonly Party[]
  readonly consuming: boolean
  readonly witnessParties: readonly Party[]
  /** The nodes from the next one up to this node id are consequences of this exercise. */
  readonly lastDescendantNodeId: number
  readonly exerciseResult: DamlValue
  readonly packageName: string
  /** Those interfaces whose views the request asked for. Empty if the choice does not archive the contract. */
  readonly implementedInterfaces: readonly TemplateId[]
  readonly acsDelta: boolean
}

export interface DeliveredReassignment {
  readonly kind: 'reassignment'
  readonly updateId: string
  readonly commandId: string
  readonly workflowId: string
  readonly offset: number
  /** The events. There is at least one. */
  readonly events: readonly ReassignmentEvent[]
  readonly recordTime: Micros
  readonly synchronizerId: string
}

export type ReassignmentEvent = AssignedEvent | UnassignedEvent

export interface AssignedEvent {
  readonly kind: 'assigned'
  readonly source: string
  readonly target: string
  readonly reassignmentId: string
  readonly submitter: Party
  readonly reassignmentCounter: number
  readonly createdEvent: CreatedEvent
}

export interface UnassignedEvent {
  readonly kind: 'unassigned'
  readonly reassignmentId: string
  readonly contractId: ContractId
  readonly templateId: TemplateId
  readonly source: string
  readonly target: string
  readonly submitter: Party
  readonly reassignmentCounter: number
  readonly assignmentExclusivity: Micros | null
  readonly witnessParties: readonly Party[]
  readonly packageName: string
  readonly offset: number
  readonly nodeId: number
}

export interface DeliveredTopologyTransaction {
  readonly kind: 'topology-transaction'
  readonly updateId: string
  readonly offset: number
  readonly synchronizerId: string
  /** The time from which the change of the topology is in force. */
  readonly recordTime: Micros
  readonly events: readonly TopologyEvent[]
}

/** Reports that a participant hosts a party from now on. */
export interface TopologyEvent {
  readonly kind: 'participant-authorization-added'
  readonly partyId: Party
  readonly participantId: string
  readonly participantPermission: 'SUBMISSION'
}

/** An active contract as its reader sees it. */
export interface DeliveredContract {
  readonly workflowId: string
  readonly createdEvent: CreatedEvent
  readonly synchronizerId: string
  readonly reassignmentCounter: number
}
