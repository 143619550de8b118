import type { Contract } from '../update.ts'
import type { ContractId, DamlValue, Micros, Party, TemplateId } from '../value.ts'

// Updates and events as readers get them. All fields except `kind` and `contract` have the names
// and the order of the fields in Canton's JSON Ledger API.

export type DeliveredUpdate = DeliveredTransaction | DeliveredTopologyTransaction

export interface DeliveredTransaction {
  readonly kind: 'transaction'
  readonly updateId: string
  /** Empty unless the request asks for events of a party that submitted the command. */
  readonly commandId: string
  readonly workflowId: string
  readonly effectiveAt: Micros
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
  readonly contract: Contract
  readonly createdEventBlob: string
  readonly interfaceViews: readonly InterfaceView[]
  readonly witnessParties: readonly Party[]
  /**
   * True if the event changes the active contracts of a party that the request asks for. False for
   * a contract that the transaction both creates and archives.
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
  readonly lastDescendantNodeId: number
  readonly exerciseResult: DamlValue
  readonly packageName: string
  readonly implementedInterfaces: readonly TemplateId[]
  readonly acsDelta: boolean
}

export interface DeliveredTopologyTransaction {
  readonly kind: 'topology-transaction'
  readonly updateId: string
  readonly offset: number
  readonly synchronizerId: string
  readonly recordTime: Micros
  readonly events: readonly TopologyEvent[]
}

export interface TopologyEvent {
  readonly kind: 'participant-authorization-added'
  readonly partyId: Party
  readonly participantId: string
  readonly participantPermission: 'SUBMISSION'
}

export interface DeliveredContract {
  readonly workflowId: string
  readonly createdEvent: CreatedEvent
  readonly synchronizerId: string
}
