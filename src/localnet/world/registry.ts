import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { Annals } from './annals.ts'
import type { Collation } from './collation.ts'
import type { ContractWithState } from './contract.ts'
import type { AnsEntry } from './entry.ts'
import type { History, Snapshots } from './history.ts'

/** How a node's sight of the ledger differs from that of one that is up to date. */
export interface Sight {
  /** How far its copy of the ledger is behind. */
  readonly lagMs: number
  /** How far its clock is ahead (behind, if negative). */
  readonly skewMs: number
  readonly collation: Collation
}

export const clearSight: Sight = { lagMs: 0, skewMs: 0, collation: 'linguistic' }

/**
 * What is on the ledger, as a node with some sight has ingested it: names that users hold, and the DSO's contracts.
 * An entry is over when its end is before the node's time. A contract is undefined where the node has none yet.
 */
export interface Registry {
  /** The entry with exactly that name. */
  userEntryByName(name: string, sight: Sight): MaybePromise<AnsEntry | undefined>
  /** Of a party with several entries the first in the order of the node's database. */
  userEntryByParty(party: string, sight: Sight): MaybePromise<AnsEntry | undefined>
  /** In the order of the node's database: at most `limit` whose names begin with `prefix`. */
  userEntries(prefix: string, limit: number, sight: Sight): MaybePromise<readonly AnsEntry[]>
  ansRulesIn(sight: Sight): MaybePromise<ContractWithState | undefined>
  amuletRulesIn(sight: Sight): MaybePromise<ContractWithState | undefined>
  /** The open mining round with the highest number. */
  latestMiningRoundIn(sight: Sight): MaybePromise<ContractWithState | undefined>
  historyIn(sight: Sight): History
  snapshotsIn(sight: Sight): Snapshots
  /** The participants that host a party; empty for one that was not allocated. */
  participantsIn(party: string, sight: Sight): MaybePromise<readonly string[]>
  /** Everything else. */
  annalsIn(sight: Sight): MaybePromise<Annals>
}
