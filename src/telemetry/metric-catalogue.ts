import type { Counter, Family, Gauge, Histogram, InstrumentKind } from './instruments.ts'
import {
  askOutcomes,
  counts,
  drainOutcomes,
  heldUpOutcomes,
  invalidatedFrom,
  lookupResults,
  methods,
  mirrorClaims,
  partitions,
  readLimits,
  readOutcomes,
  rechecks,
  reconciliationOutcomes,
  redisOperations,
  redisRefusals,
  refreshOutcomes,
  releaseStandings,
  spotCheckOutcomes,
  statuses,
  tiers,
  votes,
  writeOutcomes,
} from './label-values.ts'

/**
 * These bounds, in seconds, include all bounds of Splice's timers, so that Splice's latency metrics
 * can be computed from ours.
 */
const networkBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5, 0.75, 1, 2.5, 5, 10, 15,
] as const

const httpBuckets = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  15,
] as const

export const prefix = 'scan_proxy_'

/**
 * The values of a label: a list, or a name for values that are known only at run time. For example,
 * `sv` stands for the super validators of the roster, and `route` for the mounted routes.
 */
export type LabelDomain = readonly string[] | 'sv' | 'operator' | 'route' | 'read' | 'version' | 'node'

type RowLabels = Readonly<Record<string, LabelDomain>>

export interface MetricRow<K extends InstrumentKind = InstrumentKind, L extends RowLabels = RowLabels> {
  readonly kind: K
  readonly labels: L
  /** A histogram has these bounds. */
  readonly buckets: readonly number[]
  readonly help: string
}

function row<const K extends InstrumentKind>(kind: K) {
  return <const L extends RowLabels>(
    labels: L,
    help: string,
    buckets: readonly number[] = [],
  ): MetricRow<K, L> => ({ kind, labels, buckets, help })
}

const [counter, gauge, histogram] = [row('counter'), row('gauge'), row('histogram')]
const none = {}
const route = 'route'
const read = 'read'
const sv = 'sv'

/** `docs/metrics.md` documents each metric. The prefix `scan_proxy_` is left out here. */
export const catalogue = {
  http_requests_total: counter(
    { route, method: methods, status: statuses },
    'Requests answered on the public address.',
  ),
  http_request_duration_seconds: histogram(
    { route, method: methods, status: statuses },
    'Seconds from a request to its answer.',
    httpBuckets,
  ),
  http_cache_hits_total: counter({ route }, 'Requests of callers that a kept answer was found for.'),
  misses_limited_total: counter(none, 'Requests answered 429 because their address had used up its misses.'),
  receipts_unsigned_total: counter(
    none,
    'Receipts that were wanted and not made, because too many waited or their thread failed.',
  ),
  reads_total: counter(
    { read, outcome: readOutcomes },
    'Reads that were put to the quorum, by what it decided.',
  ),
  reads_rejected_total: counter(
    { read, limit: readLimits },
    'Reads that failed because this daemon was at one of its own limits.',
  ),
  read_duration_seconds: histogram(
    { read, outcome: readOutcomes },
    'Seconds from the first ask of a read to its verdict.',
    networkBuckets,
  ),
  unknown_refusals_total: counter(
    { read },
    'Replies of 404 whose text no row takes for absence; each counts as an abstention.',
  ),
  scan_requests_total: counter(
    { sv, outcome: askOutcomes },
    'Asks of one super validator, by what came back.',
  ),
  scan_request_duration_seconds: histogram(
    { sv, outcome: askOutcomes },
    'Seconds that one ask of one super validator took, connecting included.',
    networkBuckets,
  ),
  scan_silent_seconds: gauge(
    { sv },
    'Seconds since one super validator last answered anything but a fault, probes included.',
  ),
  super_validator_info: gauge(
    { sv, operator: 'operator' },
    'Always 1; says who runs each super validator of the roster.',
  ),
  scan_release_info: gauge(
    { sv, standing: releaseStandings },
    'Always 1; says whether this daemon knows the release of Splice that each scan names.',
  ),
  in_flight_asks: gauge(none, 'Asks of super validators that are under way.'),
  buffered_bytes: gauge(none, 'Bytes of replies in memory that are not let go yet.'),
  votes_total: counter({ sv, read, vote: votes }, 'How each super validator stood to what was agreed.'),
  dissents_pending: gauge({ sv }, 'Votes that contradicted what was agreed and are not looked into yet.'),
  rechecks_total: counter(
    { outcome: rechecks },
    'Dissents that were looked into, by what they were filed as.',
  ),
  evidence_cases_total: counter(
    { outcome: readOutcomes },
    'Disagreements kept as evidence, by what the quorum decided.',
  ),
  evidence_bytes: gauge(none, 'Bytes of evidence kept now.'),
  cache_lookups_total: counter(
    { tier: tiers, result: lookupResults },
    'Lookups in each tier of the cache, by what was found.',
  ),
  cache_bytes: gauge({ partition: partitions }, 'Bytes of answers kept in memory now.'),
  refresh_failures_total: counter(
    { read },
    'Stale answers that could not be refreshed; they stay until their time is over.',
  ),
  invalidations_total: counter(
    { from: invalidatedFrom },
    'Times that cached answers were given up because a name changed, here or on another daemon.',
  ),
  older_answers_total: counter(
    { read, outcome: heldUpOutcomes },
    'Agreed answers that were older than one served before, by what came of them.',
  ),
  floors: gauge(none, 'Questions whose answers may not become older than they were.'),
  floor_file_writable: gauge(
    none,
    '1 while the ages of served answers reach their file, 0 while they do not; absent without guard.file.',
  ),
  redis_up: gauge(none, '1 while Redis answers, 0 while it does not; absent where none is configured.'),
  redis_failures_total: counter(
    { operation: redisOperations },
    'Commands that Redis refused or did not answer in time.',
  ),
  redis_refusals_total: counter(
    { reason: redisRefusals },
    'Values found in Redis that were not used, by what was wrong with them.',
  ),
  roster_super_validators: gauge(
    { state: ['reachable', 'unreachable'] },
    'Members of the roster, by whether the last ask or probe that showed it got a usable answer.',
  ),
  quorum_threshold: gauge({ count: counts }, 'How many must agree.'),
  quorum_margin: gauge(
    { count: counts },
    'How many more are reachable than must agree; below 0 nothing can be agreed on.',
  ),
  roster_refreshes_total: counter(
    { outcome: refreshOutcomes },
    'Refreshes of the roster, by what came of them.',
  ),
  roster_age_seconds: gauge(none, 'Seconds since the roster was last agreed on.'),
  roster_single_seed: gauge(none, '1 while the roster was taken on the word of one seed, else 0.'),
  operators_unmatched: gauge(none, 'Configured members of operators that match no super validator.'),
  protected: gauge(none, '1 where one lying super validator cannot make an answer, else 0.'),
  mirror_as_of_timestamp_seconds: gauge(
    none,
    'The record time of what the mirror serves, as seconds since 1970; absent while it serves nothing.',
  ),
  mirror_entries: gauge(
    none,
    'Names that the mirror answers; 0 while it serves nothing, absent where there is no mirror.',
  ),
  mirror_file_writable: gauge(
    none,
    '1 while mirror.file keeps the mirror, 0 while it cannot be used; absent without mirror.file.',
  ),
  mirror_package_known: gauge(
    none,
    '0 while the agreed rules name a version of the name-service package that this daemon does not know, else 1; absent where there is no mirror.',
  ),
  mirror_answers_total: counter({ claim: mirrorClaims }, 'Answers from the mirror, by what they claim.'),
  mirror_drains_total: counter(
    { outcome: drainOutcomes },
    'Attempts to take a snapshot, by what came of them.',
  ),
  mirror_reconciliations_total: counter(
    { outcome: reconciliationOutcomes },
    'Snapshots that were compared with the updates followed until then.',
  ),
  mirror_spot_checks_total: counter(
    { outcome: spotCheckOutcomes },
    'Mirrored names that were compared with a live read.',
  ),
  mirror_withdrawn_entries_total: counter(
    none,
    'Mirrored names that a snapshot or a live read contradicted before they expired.',
  ),
  mirror_received_bytes_total: counter(none, 'Decoded bytes of snapshots and updates that scans sent.'),
  ledger_writes_total: counter({ outcome: writeOutcomes }, 'Writes to the ledger, by what became of them.'),
  ledger_readers: gauge(
    none,
    'Streams without an end that are read of the ledger now; absent where there is none.',
  ),
  log_lines_lost_total: counter(none, 'Lines of the log that could not be written to standard output.'),
  telemetry_failures_total: counter(
    none,
    'Events whose counting or logging failed; what they told of went on.',
  ),
  build_info: gauge({ version: 'version', node: 'node' }, 'Always 1; the labels say what runs.'),
}

export type Catalogue = typeof catalogue
type LabelValue<D> = D extends readonly (infer Value extends string)[] ? Value : string
type LabelsOf<R extends MetricRow> = { readonly [L in keyof R['labels']]: LabelValue<R['labels'][L]> }
type CellOf<K extends InstrumentKind> = { counter: Counter; gauge: Gauge; histogram: Histogram }[K]
type InstrumentOf<R extends MetricRow> = keyof R['labels'] extends never
  ? CellOf<R['kind']>
  : Family<CellOf<R['kind']>, LabelsOf<R>>

export type Instruments = { readonly [Name in keyof Catalogue]: InstrumentOf<Catalogue[Name]> }
