import type { Json } from './json.ts'

export interface Contract {
  readonly contractId: string
  /** In the form `<package id>:Module:Entity`. */
  readonly templateId: string
  readonly packageName: string
  readonly argument: Json
  readonly signatories: readonly string[]
  readonly observers: readonly string[]
  readonly blob: string
  readonly createdAt: string
}

export interface Create {
  readonly kind: 'create'
  readonly nodeId: number
  readonly contract: Contract
  readonly witnesses: readonly string[]
}

export interface Exercise {
  readonly kind: 'exercise'
  readonly nodeId: number
  readonly lastDescendantNodeId: number
  readonly contract: Pick<Contract, 'contractId' | 'templateId' | 'packageName' | 'signatories' | 'observers'>
  readonly choice: string
  readonly argument: Json
  readonly result: Json
  readonly isConsuming: boolean
  readonly actors: readonly string[]
  readonly witnesses: readonly string[]
}

export type Node = Create | Exercise

interface Place {
  readonly offset: number
  readonly updateId: string
  readonly recordTime: string
}

export interface TransactionEntry extends Place {
  readonly kind: 'transaction'
  readonly commandId: string
  readonly actAs: readonly string[]
  readonly workflowId: string
  readonly effectiveAt: string
  readonly synchronizerId: string
  readonly nodes: readonly Node[]
}

export interface TopologyEntry extends Place {
  readonly kind: 'topology'
  readonly synchronizerId: string
  readonly party: string
  readonly participantId: string
}

export type Entry = TransactionEntry | TopologyEntry
