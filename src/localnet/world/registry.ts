import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { Annals } from './annals.ts'
import type { Collation } from './collation.ts'
import type { ContractWithState } from './contract.ts'
import type { AnsEntry } from './entry.ts'
import type { History } from './history.ts'
import type { Snapshots } from './snapshots.ts'

/** The properties in which honest nodes differ. */
export interface Sight {
  readonly lagMs: number
  /** The milliseconds by which the node's clock is ahead; negative if the clock is behind. */
  readonly skewMs: number
  /** The delay from the time of a snapshot to the moment when the node has it; 0 by default. */
  readonly settlingMs?: number
  readonly collation: Collation
}

export const clearSight: Sight = { lagMs: 0, skewMs: 0, collation: 'linguistic' }

/**
 * The ledger as a node with a given `Sight` sees it. An entry is expired if it ends before the time
 * of the node's clock.
 */
export interface Registry {
  userEntryByName(name: string, sight: Sight): MaybePromise<AnsEntry | undefined>
  userEntryByParty(party: string, sight: Sight): MaybePromise<AnsEntry | undefined>
  userEntries(prefix: string, limit: number, sight: Sight): MaybePromise<readonly AnsEntry[]>
  ansRulesIn(sight: Sight): MaybePromise<ContractWithState | undefined>
  amuletRulesIn(sight: Sight): MaybePromise<ContractWithState | undefined>
  latestMiningRoundIn(sight: Sight): MaybePromise<ContractWithState | undefined>
  historyIn(sight: Sight): History
  snapshotsIn(sight: Sight): Snapshots
  participantsIn(party: string, sight: Sight): MaybePromise<readonly string[]>
  annalsIn(sight: Sight): MaybePromise<Annals>
}
