import type { ContractId, DamlRecord, DamlValue, Micros, Party, TemplateId } from './value.ts'

/** A contract as its creation left it. */
export interface Contract {
  readonly contractId: ContractId
  readonly templateId: TemplateId
  readonly packageName: string
  readonly argument: DamlRecord
  /** Sorted, each once. */
  readonly signatories: readonly Party[]
  /** Sorted; never repeats a signatory. */
  readonly observers: readonly Party[]
  /** Base64: what a caller discloses to somebody who is no stakeholder. */
  readonly createdEventBlob: string
  /** Ledger effective time of the transaction. */
  readonly createdAt: Micros
}

/** A node of a transaction's tree, numbered in pre-order from 0. */
export type Node =
  | {
      readonly kind: 'create'
      readonly nodeId: number
      readonly contract: Contract
      readonly witnesses: readonly Party[]
    }
  | {
      readonly kind: 'exercise'
      readonly nodeId: number
      /** Of the last node below this one; its own where there is none. */
      readonly lastDescendantNodeId: number
      readonly contractId: ContractId
      readonly templateId: TemplateId
      readonly packageName: string
      readonly choice: string
      readonly argument: DamlValue
      readonly result: DamlValue
      /** A consuming one archives its contract. */
      readonly consuming: boolean
      readonly actingParties: readonly Party[]
      /** Stakeholders of the exercised contract. */
      readonly signatories: readonly Party[]
      readonly observers: readonly Party[]
      readonly witnesses: readonly Party[]
    }

/** One atomic change of the ledger. */
export interface Transaction {
  readonly kind: 'transaction'
  /** From 1, without gaps. */
  readonly offset: number
  /** `1220<64 hex>` */
  readonly updateId: string
  readonly commandId: string
  readonly userId: string
  readonly actAs: readonly Party[]
  readonly workflowId: string
  readonly effectiveAt: Micros
  /** Strictly increasing. */
  readonly recordTime: Micros
  readonly synchronizerId: string
  readonly nodes: readonly Node[]
}

/** A party became known. */
export interface PartyAllocated {
  readonly kind: 'party'
  readonly offset: number
  readonly updateId: string
  readonly recordTime: Micros
  readonly synchronizerId: string
  readonly party: Party
  /** The user whose primary party it is; empty for none. */
  readonly userId: string
}

/** One element of the ledger's ordered stream. */
export type Update = Transaction | PartyAllocated
