import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { Annals } from './annals.ts'
import type { Collation } from './collation.ts'
import type { ContractWithState } from './contract.ts'
import type { AnsEntry } from './entry.ts'
import type { History } from './history.ts'
import type { Snapshots } from './snapshots.ts'

/** The differences between a node's view of the ledger and that of a node without lag. */
export interface Sight {
  /** How far the node's copy of the ledger lags. */
  readonly lagMs: number
  /** How far the node's clock is ahead; negative if it is slow. */
  readonly skewMs: number
  /** How long after an instant the node has the snapshot of it; at once by default. */
  readonly settlingMs?: number
  readonly collation: Collation
}

export const clearSight: Sight = { lagMs: 0, skewMs: 0, collation: 'linguistic' }

/**
 * The ledger as a node with a given sight has ingested it: the names of users and the DSO's contracts. An entry has
 * expired if its end is before the node's time. A contract is undefined if the node does not have it yet.
 */
export interface Registry {
  /** The entry with exactly this name. */
  userEntryByName(name: string, sight: Sight): MaybePromise<AnsEntry | undefined>
  /** If a party has several entries, this is the first in the order of the node's database. */
  userEntryByParty(party: string, sight: Sight): MaybePromise<AnsEntry | undefined>
  /** At most `limit` entries whose names begin with `prefix`, in the order of the node's database. */
  userEntries(prefix: string, limit: number, sight: Sight): MaybePromise<readonly AnsEntry[]>
  ansRulesIn(sight: Sight): MaybePromise<ContractWithState | undefined>
  amuletRulesIn(sight: Sight): MaybePromise<ContractWithState | undefined>
  /** The open mining round with the highest number. */
  latestMiningRoundIn(sight: Sight): MaybePromise<ContractWithState | undefined>
  historyIn(sight: Sight): History
  snapshotsIn(sight: Sight): Snapshots
  /** The participants that host a party; empty if the party was not allocated. */
  participantsIn(party: string, sight: Sight): MaybePromise<readonly string[]>
  /** All other ledger content. */
  annalsIn(sight: Sight): MaybePromise<Annals>
}
