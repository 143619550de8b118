import type { Contract } from '../update.ts'
import type { ContractId, DamlValue, Micros, Party, TemplateId } from '../value.ts'

// Updates and events as readers get them. All fields except `kind` and `contract` have the names and the
// order of the fields in Canton's JSON Ledger API.

/** An update, reduced to the parts that its reader may see. */
export type DeliveredUpdate = DeliveredTransaction | DeliveredReassignment | DeliveredTopologyTransaction

export interface DeliveredTransaction {
  readonly kind: 'transaction'
  readonly updateId: string
  /** The command id if the request asks for events of a party that submitted the command; otherwise empty. */
  readonly commandId: string
  readonly workflowId: string
  readonly effectiveAt: Micros
  /** The events, sorted by node id. The list is never empty. */
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
  /**
   * The created contract. Its contract key is always null in the JSON, because no template of this ledger has
   * contract keys.
   */
  readonly contract: Contract
  /** The created-event blob in base64. Empty if the request did not ask for the blob. */
  readonly createdEventBlob: string
  readonly interfaceViews: readonly InterfaceView[]
  readonly witnessParties: readonly Party[]
  /**
   * True if a party whose events the request asks for is a stakeholder of the contract, so that the event changes
   * the party's active contracts. Always false for a contract that the transaction both creates and archives.
   */
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
  /** The interfaces that the contract implements and whose views the request asked for. */
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
  /**
   * The id of the last node that is a consequence of this exercise. The consequences are the nodes after the
   * exercise, up to and including the node with this id. If the exercise has no consequences, this is the
   * node id of the exercise.
   */
  readonly lastDescendantNodeId: number
  readonly exerciseResult: DamlValue
  readonly packageName: string
  /**
   * The interfaces that the contract implements and whose views the request asked for. Empty if the choice
   * does not archive the contract.
   */
  readonly implementedInterfaces: readonly TemplateId[]
  readonly acsDelta: boolean
}

export interface DeliveredReassignment {
  readonly kind: 'reassignment'
  readonly updateId: string
  readonly commandId: string
  readonly workflowId: string
  readonly offset: number
  /** The list is never empty. */
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
  /**
   * The time before which only the submitter may assign the contract to its new synchronizer. Null if there
   * is no such time.
   */
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
  /** The record time, at which the change of the topology takes effect. */
  readonly recordTime: Micros
  readonly events: readonly TopologyEvent[]
}

/** The event that a participant begins to host a party. */
export interface TopologyEvent {
  readonly kind: 'participant-authorization-added'
  readonly partyId: Party
  readonly participantId: string
  readonly participantPermission: 'SUBMISSION'
}

/** An active contract, reduced to the parts that its reader may see. */
export interface DeliveredContract {
  readonly workflowId: string
  readonly createdEvent: CreatedEvent
  readonly synchronizerId: string
  readonly reassignmentCounter: number
}
