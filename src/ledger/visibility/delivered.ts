import type { Contract } from '../update.ts'
import type { ContractId, DamlValue, Micros, Party, TemplateId } from '../value.ts'

// Updates and events as readers get them. Members but `kind` have the names and the order of Canton's JSON Ledger API.

/** An update as its reader sees it. A stream without an end has the ledger's offset checkpoints between them. */
export type DeliveredUpdate = DeliveredTransaction | DeliveredReassignment | DeliveredTopologyTransaction

export interface DeliveredTransaction {
  readonly kind: 'transaction'
  readonly updateId: string
  /** Empty unless the reader reads as one of the submitters. */
  readonly commandId: string
  readonly workflowId: string
  readonly effectiveAt: Micros
  /** At least one, by node id. */
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
  /** None of the templates has keys. */
  readonly contract: Contract
  /** Base64; empty if the request did not ask for it. */
  readonly createdEventBlob: string
  readonly interfaceViews: readonly InterfaceView[]
  readonly witnessParties: readonly Party[]
  /** Whether it is an event of the shape `ACS_DELTA` too, for the same parties. */
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
  /** The interfaces whose views were requested. */
  readonly implementedInterfaces: readonly TemplateId[]
}

export interface ExercisedEvent {
  readonly kind: 'exercised'
  readonly offset: number
  readonly nodeId: number
  readonly contractId: ContractId
  readonly templateId: TemplateId
  /** None of the choices is one of an interface. */
  readonly interfaceId: null
  readonly choice: string
  readonly choiceArgument: DamlValue
  readonly actingParties: readonly Party[]
  readonly consuming: boolean
  readonly witnessParties: readonly Party[]
  /** Nodes above this event's and up to this one came about by it. */
  readonly lastDescendantNodeId: number
  readonly exerciseResult: DamlValue
  readonly packageName: string
  /** The interfaces whose views were requested; none for a choice that is not consuming. */
  readonly implementedInterfaces: readonly TemplateId[]
  readonly acsDelta: boolean
}

export interface DeliveredReassignment {
  readonly kind: 'reassignment'
  readonly updateId: string
  readonly commandId: string
  readonly workflowId: string
  readonly offset: number
  /** At least one. */
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
  /** When it takes effect. */
  readonly recordTime: Micros
  readonly events: readonly TopologyEvent[]
}

/** A participant hosts a party from now on. */
export interface TopologyEvent {
  readonly kind: 'participant-authorization-added'
  readonly partyId: Party
  readonly participantId: string
  readonly participantPermission: 'SUBMISSION'
}

/** An element of the active contracts. */
export interface DeliveredContract {
  readonly workflowId: string
  readonly createdEvent: CreatedEvent
  readonly synchronizerId: string
  readonly reassignmentCounter: number
}
