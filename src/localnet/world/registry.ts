import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { Annals } from './annals.ts'
import type { Collation } from './collation.ts'
import type { ContractWithState } from './contract.ts'
import type { AnsEntry } from './entry.ts'
import type { History } from './history.ts'
import type { Snapshots } from './snapshots.ts'

/**
 * The properties in which honest nodes differ: the lag, the clock error, the delay of snapshots, and the
 * order in which a node sorts names.
 */
export interface Sight {
  /** The milliseconds by which the node's copy of the ledger is behind. */
  readonly lagMs: number
  /** The milliseconds by which the node's clock is ahead; negative if the clock is behind. */
  readonly skewMs: number
  /**
   * The milliseconds from the time of a snapshot to the moment when the node has the snapshot; 0 by default.
   */
  readonly settlingMs?: number
  readonly collation: Collation
}

export const clearSight: Sight = { lagMs: 0, skewMs: 0, collation: 'linguistic' }

/**
 * The ledger as a node with a given `Sight` sees it: the names of users and the contracts of the DSO. An
 * entry is expired if it ends before the time of the node's clock. A method returns undefined if the node
 * does not have the requested contract.
 */
export interface Registry {
  userEntryByName(name: string, sight: Sight): MaybePromise<AnsEntry | undefined>
  /**
   * Finds the entry of a party; undefined if there is none. If the party has several entries, returns the
   * first one in the order of the node's database.
   */
  userEntryByParty(party: string, sight: Sight): MaybePromise<AnsEntry | undefined>
  /** Returns at most `limit` entries whose names begin with `prefix`, in the order of the node's database. */
  userEntries(prefix: string, limit: number, sight: Sight): MaybePromise<readonly AnsEntry[]>
  ansRulesIn(sight: Sight): MaybePromise<ContractWithState | undefined>
  amuletRulesIn(sight: Sight): MaybePromise<ContractWithState | undefined>
  /** Returns the open mining round with the highest number. */
  latestMiningRoundIn(sight: Sight): MaybePromise<ContractWithState | undefined>
  historyIn(sight: Sight): History
  snapshotsIn(sight: Sight): Snapshots
  /** Returns the participants that host a party. Empty if the party was never allocated. */
  participantsIn(party: string, sight: Sight): MaybePromise<readonly string[]>
  /** Returns the content that no other method returns, such as rounds, rewards and governance votes. */
  annalsIn(sight: Sight): MaybePromise<Annals>
}
