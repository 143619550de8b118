import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { Annals } from './annals.ts'
import type { Collation } from './collation.ts'
import type { ContractWithState } from './contract.ts'
import type { History } from './history.ts'
import type { AnsEntry } from './network.ts'
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

/**
 * The ledger as a node with given traits sees it. An entry is expired if it ends before the time of
 * the node's clock.
 */
export interface Registry {
  userEntryByName(name: string, traits: NodeTraits): MaybePromise<AnsEntry | undefined>
  userEntryByParty(party: string, traits: NodeTraits): MaybePromise<AnsEntry | undefined>
  userEntries(prefix: string, limit: number, traits: NodeTraits): MaybePromise<readonly AnsEntry[]>
  ansRulesIn(traits: NodeTraits): MaybePromise<ContractWithState | undefined>
  amuletRulesIn(traits: NodeTraits): MaybePromise<ContractWithState | undefined>
  latestMiningRoundIn(traits: NodeTraits): MaybePromise<ContractWithState | undefined>
  historyIn(traits: NodeTraits): History
  snapshotsIn(traits: NodeTraits): Snapshots
  participantsIn(party: string, traits: NodeTraits): MaybePromise<readonly string[]>
  annalsIn(traits: NodeTraits): MaybePromise<Annals>
}
