import type { Clock } from '../lib/clock.ts'
import { Minutes } from './last-hour.ts'
import type { Metrics } from './metrics.ts'

const ends = ['answered', 'absent', 'refused', 'failed'] as const
export type End = (typeof ends)[number]

export interface TrafficMinute extends Readonly<Record<End, number>> {
  /**
   * The value is 60 for a past minute, 1 to 60 for the current one, and 0 if the minute was not
   * measured.
   */
  readonly seconds: number
  readonly hits: number
  /** Half of the requests took at most `p50` seconds, and 95 % at most `p95`. */
  readonly p50: number | undefined
  readonly p95: number | undefined
}

type TrafficMetrics = Pick<
  Metrics,
  'http_requests_total' | 'http_request_duration_seconds' | 'http_cache_hits_total'
>

interface TrafficTotals {
  readonly ends: Record<End, number>
  hits: number
  buckets: number[]
}

const minuteMs = 60_000

/** The statistics come from the counters of the metrics, so that requests need no extra work. */
export class Traffic {
  readonly #metrics: TrafficMetrics
  readonly #clock: Pick<Clock, 'now'>
  readonly #reads: ReadonlySet<string>
  readonly #minutes: Minutes<TrafficTotals>
  #last: TrafficTotals
  #bounds: readonly number[] = []

  constructor(metrics: TrafficMetrics, clock: Pick<Clock, 'now'>, reads: readonly string[]) {
    this.#metrics = metrics
    this.#clock = clock
    this.#reads = new Set(reads)
    this.#minutes = new Minutes(clock, 60, none)
    this.#last = this.#totals()
  }

  sample(): void {
    const totals = this.#totals()
    const minute = this.#minutes.at()
    const since = this.#last
    this.#last = totals
    if (minute === undefined) return
    for (const end of ends) minute.ends[end] += totals.ends[end] - since.ends[end]
    minute.hits += totals.hits - since.hits
    minute.buckets = totals.buckets.map(
      (count, index) => (minute.buckets[index] ?? 0) + count - (since.buckets[index] ?? 0),
    )
  }

  minutes(): readonly TrafficMinute[] {
    return this.#minutes.last().map((known, index, { length }) => {
      const { ends: counted, hits, buckets } = known ?? none()
      const passed = index === length - 1 ? (this.#clock.now() % minuteMs) / 1000 : 60
      return {
        ...counted,
        seconds: known === undefined ? 0 : Math.max(1, passed),
        hits,
        p50: quantile(0.5, this.#bounds, buckets),
        p95: quantile(0.95, this.#bounds, buckets),
      }
    })
  }

  #totals(): TrafficTotals {
    const { http_requests_total, http_request_duration_seconds, http_cache_hits_total } = this.#metrics
    const totals = none()
    for (const { labels, cell } of http_requests_total.children)
      if (this.#reads.has(labels.route)) totals.ends[endOf(Number(labels.status))] += cell.value
    for (const { labels, cell } of http_request_duration_seconds.children) {
      if (!this.#reads.has(labels.route)) continue
      this.#bounds = [...cell.bounds]
      totals.buckets = [...cell.counts].map((count, index) => count + (totals.buckets[index] ?? 0))
    }
    for (const { labels, cell } of http_cache_hits_total.children)
      if (this.#reads.has(labels.route)) totals.hits += cell.value
    return totals
  }
}

function endOf(status: number): End {
  if (status === 404) return 'absent'
  if (status >= 500) return 'failed'
  return status >= 400 ? 'refused' : 'answered'
}

function none(): TrafficTotals {
  return { ends: { answered: 0, absent: 0, refused: 0, failed: 0 }, hits: 0, buckets: [] }
}

function quantile(share: number, bounds: readonly number[], buckets: readonly number[]): number | undefined {
  const all = buckets.reduce((sum, count) => sum + count, 0)
  if (all === 0) return undefined
  let rank = share * all
  for (const [index, count] of buckets.entries()) {
    if (rank <= count) {
      const from = bounds[index - 1] ?? 0
      return from + ((bounds[index] ?? from) - from) * (rank / count)
    }
    rank -= count
  }
  return bounds.at(-1)
}
