import { BoundedLabel } from './bounded-label.ts'
import { type Exposed, exposed, histogramSamples, type Sample } from './exposition.ts'
import { spliceTimerBuckets } from './histogram-buckets.ts'
import { Counter, Family, Histogram, type Labels } from './instruments.ts'
import { type AskOutcome, askOutcomes, type ReadOutcome, type VoteLabel } from './label-values.ts'
import type { Instruments } from './metric-catalogue.ts'

/**
 * Splice's validator reports its connections to scans under these names (`docs/metrics.md`).
 * Source: apps/common/.../metrics/ScanConnectionMetrics.scala of Splice 0.7.5.
 */
const names = {
  perConnectionLatency: 'splice_validator_scan_per_connection_latency_duration_seconds',
  perConnectionCalls: 'splice_validator_scan_per_connection_calls_total',
  bftReadLatency: 'splice_validator_scan_bft_read_latency_duration_seconds',
  bftCalls: 'splice_validator_scan_bft_calls_total',
  perConnectionConsensus: 'splice_validator_scan_bft_per_connection_consensus_total',
} as const

const requests: Readonly<Record<string, string>> = { getAmuletRules: 'getAmuletRulesWithState' }

const readWords: Readonly<Record<ReadOutcome, string>> = {
  agreed: 'ok',
  disputed: 'consensus_not_reached',
  undecided: 'consensus_not_reached',
  unreachable: 'not_enough_scans',
}

// Splice's metric could show `lag`, `ahead`, `split` and `unchecked` only as disagreement, and Splice's own
// alert would then page an operator. Therefore these votes are left out.
const consensusWords: Readonly<Record<VoteLabel, Labels | undefined>> = {
  agree: { consensus: 'agree' },
  dissent: { consensus: 'disagree', success: 'true' },
  lag: undefined,
  ahead: undefined,
  split: undefined,
  unchecked: undefined,
  abstain: { consensus: 'disagree', success: 'false' },
  fault: { consensus: 'disagree', success: 'false' },
}

type PerConnection = { readonly sv: string; readonly read: string }

export class SpliceMetricNames {
  readonly #latency: Family<Histogram, PerConnection>
  readonly #calls: Family<Counter, PerConnection & { readonly outcome: AskOutcome }>
  readonly #hosts = new Map<string, string>()
  readonly #ours: Instruments

  constructor(ours: Instruments, known: { readonly sv: BoundedLabel; readonly read: BoundedLabel }) {
    const perConnection = { sv: known.sv, read: known.read }
    this.#ours = ours
    this.#latency = new Family(perConnection, () => new Histogram(spliceTimerBuckets))
    this.#calls = new Family(
      { ...perConnection, outcome: new BoundedLabel(askOutcomes) },
      () => new Counter(),
    )
  }

  get exposed(): readonly Exposed[] {
    const { perConnectionLatency, perConnectionCalls, bftReadLatency, bftCalls, perConnectionConsensus } =
      names
    return [
      exposed(perConnectionLatency, 'histogram', 'Latency of a single request to one scan connection', () =>
        summedHistograms(perConnectionLatency, this.#latency, (labels) => this.#connection(labels)),
      ),
      exposed(
        perConnectionCalls,
        'counter',
        'Count of succeeded and failed requests to a scan connection',
        () =>
          summedCounters(this.#calls, (labels) => ({
            ...this.#connection(labels),
            outcome: askWord(labels.outcome),
          })),
      ),
      exposed(bftReadLatency, 'histogram', 'End-to-end latency of a BFT read across scan connections', () =>
        summedHistograms(bftReadLatency, this.#ours.read_duration_seconds, request),
      ),
      exposed(bftCalls, 'counter', 'Count of BFT reads', () =>
        summedCounters(this.#ours.reads_total, (labels) => ({
          ...request(labels),
          outcome: readWords[labels.outcome],
        })),
      ),
      exposed(perConnectionConsensus, 'counter', 'Count of answers by whether they were the agreed one', () =>
        summedCounters(this.#ours.votes_total, (labels) => {
          const consensus = consensusWords[labels.vote]
          return consensus && { ...this.#connection(labels), ...consensus }
        }),
      ),
    ]
  }

  asked(sv: string, read: string, outcome: AskOutcome, seconds: number): void {
    this.#latency.with({ sv, read }).observe(seconds)
    this.#calls.with({ sv, read, outcome }).inc()
  }

  setHost(sv: string, host: string): void {
    this.#hosts.set(sv, host)
  }

  removeSv(sv: string): void {
    this.#hosts.delete(sv)
    this.#latency.remove('sv', sv)
    this.#calls.remove('sv', sv)
  }

  #connection({ sv, read }: PerConnection): Labels {
    return { scan_connection: this.#hosts.get(sv) ?? sv, ...request({ read }) }
  }
}

function request({ read }: { readonly read: string }): Labels {
  return { request: requests[read] ?? read }
}

function askWord(outcome: AskOutcome): string {
  return outcome === 'value' || outcome === 'refusal' ? 'ok' : outcome
}

/**
 * Super validators on one host have the same labels in Splice's metrics, so their counters are
 * added up.
 */
function summedCounters<L extends Labels>(
  family: Family<Counter, L>,
  rename: (labels: L) => Labels | undefined,
): Sample[] {
  const sums = new Map<string, { labels: Labels; value: number }>()
  for (const child of family.children) {
    const labels = rename(child.labels)
    if (labels === undefined) continue
    const key = JSON.stringify(labels)
    const sum = sums.get(key) ?? { labels, value: 0 }
    sum.value += child.cell.value
    sums.set(key, sum)
  }
  return [...sums.values()]
}

function summedHistograms<L extends Labels>(
  name: string,
  family: Family<Histogram, L>,
  rename: (labels: L) => Labels,
): Sample[] {
  const sums = new Map<string, ReturnType<typeof emptyTimer> & { readonly labels: Labels }>()
  for (const child of family.children) {
    const labels = rename(child.labels)
    const key = JSON.stringify(labels)
    const total = sums.get(key) ?? { ...emptyTimer(), labels }
    addInto(total.counts, child.cell)
    total.sum += child.cell.sum
    sums.set(key, total)
  }
  return [...sums.values()].flatMap((total) => histogramSamples(name, total.labels, total))
}

function emptyTimer() {
  return {
    bounds: Float64Array.from(spliceTimerBuckets),
    counts: new Float64Array(spliceTimerBuckets.length + 1),
    sum: 0,
  }
}

/**
 * The histogram has all bounds of the Splice timer, so each of its buckets lies within one bucket
 * of the timer.
 */
function addInto(counts: Float64Array, cell: Histogram): void {
  cell.counts.forEach((count, index) => {
    const bound = cell.bounds[index] ?? Infinity
    const into = spliceTimerBuckets.findIndex((upper) => bound <= upper)
    const bucket = into === -1 ? spliceTimerBuckets.length : into
    counts[bucket] = (counts[bucket] ?? 0) + count
  })
}
