import type { MaybePromise } from '../../base/lib/maybe-promise.ts'
import type { Annals } from './annals.ts'
import type { Collation } from './collation.ts'
import type { ContractWithState } from './contract.ts'
import type { History } from './history.ts'
import type { AnsEntry, Network } from './network.ts'
import type { Snapshots } from './snapshots.ts'

/** The properties in which honest nodes differ. */
export interface NodeTraits {
  readonly lagMs: number
  /** The milliseconds by which the node's clock is ahead; negative if the clock is behind. */
  readonly skewMs: number
  /** The delay from the time of a snapshot to the moment when the node has it; 0 by default. */
  readonly settlingMs?: number
  readonly collation: Collation
}

export const usualTraits: NodeTraits = { lagMs: 0, skewMs: 0, collation: 'linguistic' }

/** The content of the ledger as a node with given traits sees it. */
export interface NodeView {
  /** An entry is expired if it ends before the time of the node's clock. */
  entryByName(name: string): MaybePromise<AnsEntry | undefined>
  /** Of several entries of a user, this returns the first one by name. */
  entryByParty(party: string): MaybePromise<AnsEntry | undefined>
  /** Returns the entries of users, sorted by name. */
  entries(prefix: string, limit: number): MaybePromise<readonly AnsEntry[]>
  ansRules(): MaybePromise<ContractWithState | undefined>
  amuletRules(): MaybePromise<ContractWithState | undefined>
  history(): History
  snapshots(): Snapshots
  participants(party: string): MaybePromise<readonly string[]>
  annals(): MaybePromise<Annals>
}

export interface SeenNetwork extends Network {
  seenBy(traits: NodeTraits): NodeView
}
