import { SpliceError } from '../../../base/errors/splice.ts'

/**
 * An operation of Splice's Scan API that no quorum can answer: its answer differs from scan to
 * scan, no scan serves it, or it is not a read.
 */
export interface NodeSpecificRoute {
  readonly id: string
  readonly method: 'GET' | 'POST'
  readonly scanPath: string
  readonly template: string
  readonly why: string
  readonly instead: string
  refuse(): never
}

/** The method of a row is GET unless the row says otherwise. */
interface RowOfNode extends Pick<NodeSpecificRoute, 'id' | 'scanPath' | 'why' | 'instead'> {
  readonly method?: 'POST'
}

const askTheNode = 'Ask the scan that it is about.'
const localEventIds = 'Its event ids are numbers of the answering scan.'
const notOnScans = 'No scan serves this: super validators answer it elsewhere.'

const rows: readonly RowOfNode[] = [
  {
    id: 'listSvBftSequencers',
    scanPath: '/v0/sv-bft-sequencers',
    why: 'This lists the sequencers of the answering super validator only, and no two are the same.',
    instead: 'Use /v0/dso-sequencers for the sequencers of all.',
  },
  {
    id: 'getRollForwardLsu',
    scanPath: '/v0/roll-forward-lsu',
    why: 'This is configuration of the answering super validator.',
    instead: 'Use /v0/lsu for the upgrade that is on the ledger.',
  },
  {
    id: 'getActivePhysicalSynchronizerSerial',
    scanPath: '/v0/active-synchronizer-serial',
    why: "This is what the answering super validator's own participant is connected to.",
    instead: 'Use /v0/dso-sequencers, which names the serial of every sequencer.',
  },
  {
    id: 'getMemberTrafficStatus',
    scanPath: '/v0/domains/{domain_id}/members/{member_id}/traffic-status',
    why: "What a member has consumed is a counter that moves at each super validator's sequencer by itself.",
    instead: 'Ask your own participant for its traffic state, or one scan.',
  },
  {
    id: 'forceAcsSnapshotNow',
    method: 'POST',
    scanPath: '/v0/state/acs/force',
    why: 'This is no read: it takes a snapshot in the answering scan.',
    instead: 'Use /v0/state/acs/snapshot-timestamp for the snapshots that all scans take.',
  },
  {
    id: 'getAcsSnapshot',
    scanPath: '/v0/acs/{party}',
    why: 'This is a dump of the answering scan, in bulk, as its participant exports it.',
    instead: 'Use /v2/state/acs with party_ids.',
  },
  {
    id: 'getUpdateHistory',
    method: 'POST',
    scanPath: '/v0/updates',
    why: localEventIds,
    instead: 'Use /v2/updates.',
  },
  {
    id: 'getUpdateById',
    scanPath: '/v0/updates/{update_id}',
    why: localEventIds,
    instead: 'Use /v2/updates/{update_id}.',
  },
  {
    id: 'featureSupport',
    scanPath: '/v0/feature-support',
    why: 'This is about the release that the answering scan runs.',
    instead: askTheNode,
  },
  {
    id: 'getMigrationInfo',
    method: 'POST',
    scanPath: '/v0/backfilling/migration-info',
    why: 'This is how much of the history the answering scan has loaded so far.',
    instead: 'Use /v0/backfilling/updates-before, which is answered by those that have the history.',
  },
  {
    id: 'getBackfillingStatus',
    scanPath: '/v0/backfilling/status',
    why: 'This is how far the answering scan is with loading the history.',
    instead: askTheNode,
  },
  {
    id: 'getRewardAccountingEarliestAvailableRound',
    scanPath: '/v0/internal/reward-accounting-process/rounds/earliest-available',
    why: 'This is the first round that the answering scan has data of.',
    instead: 'Ask for a round: scans that have no data of it are not counted.',
  },
  {
    id: 'listBulkAcsSnapshotObjects',
    scanPath: '/v0/history/bulk/acs',
    why: "These are addresses in the answering super validator's own storage.",
    instead: 'Ask one scan, and compare what you fetch with /v0/history/bulk/checksums.',
  },
  {
    id: 'listBulkUpdateHistoryObjects',
    method: 'POST',
    scanPath: '/v0/history/bulk/updates',
    why: "These are addresses in the answering super validator's own storage.",
    instead: 'Ask one scan, and compare what you fetch with /v0/history/bulk/checksums.',
  },
  {
    id: 'getBulkObjectsProgress',
    scanPath: '/v0/history/bulk/progress',
    why: 'This is how far the answering super validator is with filling its own storage.',
    instead: 'Use /v0/history/bulk/checksums, which is null for what is not there.',
  },
  {
    id: 'getSynchronizerIdentities',
    scanPath: '/v0/synchronizer-identities/{domain_id_prefix}',
    why: notOnScans,
    instead: 'Use /v0/dso-sequencers.',
  },
  {
    id: 'getSynchronizerBootstrappingTransactions',
    scanPath: '/v0/synchronizer-bootstrapping-transactions/{domain_id_prefix}',
    why: notOnScans,
    instead: 'Ask the super validator that sponsors you.',
  },
]

/**
 * All operations of the Scan API that are not in the table of reads. The daemon answers them with
 * 501, and explains why. A test compares both tables with Splice's API description.
 */
export const nodeSpecificRoutes: readonly NodeSpecificRoute[] = rows.map((row) => ({
  method: 'GET',
  ...row,
  template: `/api/scan${row.scanPath}`,
  refuse: () => {
    throw new SpliceError('notAgreeable', { why: row.why, instead: row.instead })
  },
}))
