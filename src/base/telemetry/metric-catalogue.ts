import type { Counter, Family, Gauge, Histogram, InstrumentKind } from './instruments.ts'
import { statuses, labelValues as values } from './label-values.ts'

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

/** `docs/metrics.md` is made of these texts. The prefix `scan_proxy_` is left out here. */
export const catalogue = {
  http_requests_total: counter(
    { route, method: values.method, status: statuses },
    'Requests answered on the public address. 502: see `reads_total`; 503: see `roster_refreshes_total`.',
  ),
  http_request_duration_seconds: histogram(
    { route, method: values.method, status: statuses },
    "Seconds from a request to its answer. Slow only here and not in `read_duration_seconds`: see Node's event loop lag.",
    httpBuckets,
  ),
  http_cache_hits_total: counter(
    { route },
    'Requests that found a cached answer. A low share: many names, or short `cache.times.<read>`.',
  ),
  misses_limited_total: counter(
    none,
    'Requests answered 429 for cache misses. A proxy in front of many callers: raise `http.missesPerSecond`.',
  ),
  receipts_unsigned_total: counter(
    none,
    'Answers sent without the receipt that the caller wanted. Rising: add daemons.',
  ),
  reads_total: counter(
    { read, outcome: values.read },
    'Reads put to the quorum, by verdict: `agreed`, `disputed` (see `/evidence`), `undecided` (scans have just started or lack the path), `unreachable` (see `scan_requests_total`).',
  ),
  reads_rejected_total: counter(
    { read, limit: values.readLimit },
    'Reads that failed with `tooManyReads`. `asks`: raise `scanClient.maxInFlight`; `reads` (10,000, or 32 MiB of questions): run a second daemon.',
  ),
  read_duration_seconds: histogram(
    { read, outcome: values.read },
    'Seconds from the first request of a read to its verdict. Slow for all reads: slow scans.',
    networkBuckets,
  ),
  unknown_refusals_total: counter(
    { read },
    '404s whose text the read does not take for absence. The log has the text; `scanClient.absentTexts.<read>` adds it.',
  ),
  scan_requests_total: counter(
    { sv, outcome: values.ask },
    "Requests to scans, by outcome. One `sv`: tell its operator; all at once: this machine's network.",
  ),
  scan_request_duration_seconds: histogram(
    { sv, outcome: values.ask },
    'Seconds that one request to a scan took, queueing and connecting included.',
    networkBuckets,
  ),
  scan_silent_seconds: gauge(
    { sv },
    'Seconds since a scan last answered anything but a fault. Above three times `scanClient.probeInterval`: see its `scan_requests_total`.',
  ),
  super_validator_info: gauge({ sv, operator: 'operator' }, 'Always 1; says who runs each super validator.'),
  scan_release_info: gauge(
    { sv, standing: values.standing },
    'Always 1; says whether the release that a scan names is `known`, `newer` (look for a newer daemon), `older` or `unknown`.',
  ),
  in_flight_asks: gauge(
    none,
    'Requests to scans under way. Near `scanClient.maxInFlight`: scans are slow or callers many.',
  ),
  buffered_bytes: gauge(
    none,
    'Bytes of replies in memory. Near `scanClient.maxBufferedBytes`: a scan sends very large bodies.',
  ),
  votes_total: counter(
    { sv, read, vote: values.vote },
    'How a vote stood to what was agreed: `agree`, `abstain`, `fault`, or filed within a minute as `dissent` (look at `/evidence`), `lag`, `ahead`, `split` or `unchecked`.',
  ),
  dissents_pending: gauge({ sv }, 'Contradictions that are not filed yet.'),
  rechecks_total: counter({ outcome: values.recheck }, 'Contradictions that were filed, by what as.'),
  evidence_cases_total: counter({ outcome: values.read }, 'Disagreements kept for `/evidence`, by verdict.'),
  evidence_bytes: gauge(none, 'Bytes of evidence. At `evidence.maxBytes` older cases make room.'),
  cache_lookups_total: counter(
    { tier: values.tier, result: values.lookup },
    'Lookups in `memory`, then in `redis`: `hit`, `stale` (served while it is refreshed), `miss`, `error`. Many misses for few names: raise `cache.times.<read>` or `cache.maxBytes`.',
  ),
  cache_bytes: gauge({ partition: values.partition }, 'Bytes of `values` and `absences` in memory.'),
  refresh_failures_total: counter({ read }, 'Stale answers that could not be refreshed. See `reads_total`.'),
  invalidations_total: counter(
    { from: values.invalidatedFrom },
    'Times that cached answers were dropped because a name changed `here` or `elsewhere`, on another daemon of the same Redis.',
  ),
  older_answers_total: counter(
    { read, outcome: values.heldUp },
    'Agreed answers older than one served before: asking all gave a `newer` one, all but f insisted (`withdrawn`), or it was not served (`behind`).',
  ),
  floors: gauge(none, 'Questions whose answers may not become older. At 100,000 the least used go.'),
  floor_file_writable: gauge(none, '0 while `guard.file` cannot be used; absent without it.'),
  redis_up: gauge(
    none,
    '0 while Redis does not answer: reads go on, and send more requests to scans. Absent where none is configured.',
  ),
  redis_failures_total: counter(
    { operation: values.redisOperation },
    'Commands `get`, `set`, `delete`, `invalidate` or `floor` that Redis refused or did not answer in time.',
  ),
  redis_refusals_total: counter(
    { reason: values.redisRefusal },
    'Values of Redis that were not used: `format`, `version` (normal in a roll-out), `seal`, `key`, `digest` (somebody else writes there, or daemons differ), `time`, `type`.',
  ),
  roster_super_validators: gauge(
    { state: ['reachable', 'unreachable'] },
    'Members of the roster that are `reachable` and `unreachable`.',
  ),
  quorum_threshold: gauge(
    { count: values.count },
    'How many must agree, of `super_validators` and of `operators`.',
  ),
  quorum_margin: gauge(
    { count: values.count },
    'Reachable votes minus threshold. 0: the next failure stops reads; below 0: only the cache still answers.',
  ),
  roster_refreshes_total: counter(
    { outcome: values.refresh },
    'Refreshes of the roster: `same`, `changed`, `held` (much changed, and taken if the next refresh gives it too), `failed` (the log says why).',
  ),
  roster_age_seconds: gauge(
    none,
    'Seconds since the roster was last agreed on. Above three times `scanClient.refreshInterval`: refreshes fail.',
  ),
  roster_single_seed: gauge(
    none,
    '1 while the roster was taken on the word of one seed: configure at least four seeds.',
  ),
  operators_unmatched: gauge(none, 'Members of `scanClient.operators` that match no super validator.'),
  protected: gauge(none, '0 where one lying super validator can make an answer, else 1.'),
  mirror_as_of_timestamp_seconds: gauge(
    none,
    'Record time of what the mirror serves, in seconds since 1970; absent while it serves nothing.',
  ),
  mirror_entries: gauge(
    none,
    'Names that the mirror answers. 0: `mirror.degradedBecause` in `/status` says why.',
  ),
  mirror_file_writable: gauge(
    none,
    '0 while `mirror.file` cannot be used: `mirror.unkeptBecause` in `/status` says why. Absent without it.',
  ),
  mirror_package_known: gauge(
    none,
    '0 while the name-service package is unknown (ScanProxyMirrorPackageUnknown), else 1; absent without a mirror.',
  ),
  mirror_answers_total: counter(
    { claim: values.claim },
    'Answers from the mirror, by claim: `binding`, `state`.',
  ),
  mirror_drains_total: counter(
    { outcome: values.drain },
    'Attempts to take a snapshot: `taken`; `not-yet`, `path-unknown` (too few scans have it, or a known release); `disputed`; `unreachable`; `roster-changed`; `failed`; `withdrawn` (names are missing); `unreconciled` (the updates say otherwise); `too-many-entries`; `package` (unknown).',
  ),
  mirror_reconciliations_total: counter(
    { outcome: values.reconciliation },
    'Snapshots compared with followed updates: `equal`, `different` (look at `/evidence`), `skipped`.',
  ),
  mirror_spot_checks_total: counter(
    { outcome: values.spotCheck },
    'Mirrored names compared with a live read: `same`, `renewed`, `different` (look at `/evidence`), `unanswered`.',
  ),
  mirror_withdrawn_entries_total: counter(
    none,
    'Mirrored names that were contradicted before they expired. Look at `/evidence`.',
  ),
  mirror_received_bytes_total: counter(none, 'Decoded bytes of snapshots and updates that scans sent.'),
  ledger_writes_total: counter(
    { outcome: values.write },
    'Writes to the ledger: `committed`, `duplicate`, `refused` by its rules, `unavailable` (`/status` says why), `failed` (a bug).',
  ),
  ledger_readers: gauge(
    none,
    'Open streams of the JSON Ledger API. At 10,000 the daemon refuses further ones. Absent without a ledger.',
  ),
  log_lines_lost_total: counter(
    none,
    'Lines of the log that could not be written; `log` in `/status` says why.',
  ),
  telemetry_failures_total: counter(none, 'Events whose counting or logging failed: a bug.'),
  build_info: gauge({ version: 'version', node: 'node' }, 'Always 1; join it to see a roll-out.'),
}

export type Catalogue = typeof catalogue
type LabelValue<D> = D extends readonly (infer Value extends string)[] ? Value : string
type LabelsOf<R extends MetricRow> = { readonly [L in keyof R['labels']]: LabelValue<R['labels'][L]> }
type CellOf<K extends InstrumentKind> = { counter: Counter; gauge: Gauge; histogram: Histogram }[K]
type InstrumentOf<R extends MetricRow> = keyof R['labels'] extends never
  ? CellOf<R['kind']>
  : Family<CellOf<R['kind']>, LabelsOf<R>>

export type Instruments = { readonly [Name in keyof Catalogue]: InstrumentOf<Catalogue[Name]> }
