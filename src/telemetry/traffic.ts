import type { Clock } from '../lib/clock.ts'
import type { Metrics } from './metrics.ts'

/** The ways in which a caller's read ends: with a value, with an agreed absence, with a 4xx, or with a 5xx. */
const ends = ['answered', 'absent', 'refused', 'failed'] as const
export type End = (typeof ends)[number]

/** The reads of callers during one minute. */
export interface TrafficMinute extends Readonly<Record<End, number>> {
  /**
   * The seconds of the minute that have passed: 60, or at least 1 for the current minute. 0 if no sample was
   * taken in this minute, for example because the daemon did not run.
   */
  readonly seconds: number
  /** Lookups in the cache. `hits` is how many of them found an answer. */
  readonly lookups: number
  readonly hits: number
  /**
   * Quantiles of the requests' durations, in seconds: 50 % and 95 % of the requests took at most this long. Undefined
   * if there were no requests.
   */
  readonly p50: number | undefined
  readonly p95: number | undefined
}

type TrafficMetrics = Pick<
  Metrics,
  'http_requests_total' | 'http_request_duration_seconds' | 'cache_lookups_total'
>

interface Totals {
  readonly ends: Record<End, number>
  lookups: number
  hits: number
  /** The number of requests in each bucket of durations. */
  buckets: number[]
}

const minutes = 60
const minuteMs = 60_000

/**
 * Keeps the callers' reads of the last hour, minute by minute. It samples the counters of the metrics, so that
 * requests cost nothing more.
 */
export class Traffic {
  readonly #metrics: TrafficMetrics
  readonly #clock: Pick<Clock, 'now'>
  readonly #reads: ReadonlySet<string>
  readonly #ring = new Map<number, Totals>()
  #last: Totals
  #bounds: readonly number[] = []

  /** @param reads the routes that count: the ids of all reads. */
  constructor(metrics: TrafficMetrics, clock: Pick<Clock, 'now'>, reads: readonly string[]) {
    this.#metrics = metrics
    this.#clock = clock
    this.#reads = new Set(reads)
    this.#last = this.#totals()
  }

  /** Adds what the counters gained since the last call to the current minute. */
  sample(): void {
    const number = this.#now()
    const totals = this.#totals()
    const minute = this.#ring.get(number) ?? none()
    const since = this.#last
    for (const end of ends) minute.ends[end] += totals.ends[end] - since.ends[end]
    minute.lookups += totals.lookups - since.lookups
    minute.hits += totals.hits - since.hits
    minute.buckets = totals.buckets.map(
      (count, index) => (minute.buckets[index] ?? 0) + count - (since.buckets[index] ?? 0),
    )
    this.#last = totals
    this.#ring.set(number, minute)
    for (const old of this.#ring.keys()) if (old <= number - minutes) this.#ring.delete(old)
  }

  /** Returns the minutes of the last hour, oldest first. The last element is the current minute. */
  minutes(): readonly TrafficMinute[] {
    const now = this.#now()
    return Array.from({ length: minutes }, (_, index) => {
      const number = now - minutes + 1 + index
      const known = this.#ring.get(number)
      const { ends: counted, lookups, hits, buckets } = known ?? none()
      const passed = number === now ? (this.#clock.now() % minuteMs) / 1000 : 60
      return {
        ...counted,
        seconds: known === undefined ? 0 : Math.max(1, passed),
        lookups,
        hits,
        p50: quantile(0.5, this.#bounds, buckets),
        p95: quantile(0.95, this.#bounds, buckets),
      }
    })
  }

  #totals(): Totals {
    const { http_requests_total, http_request_duration_seconds, cache_lookups_total } = this.#metrics
    const totals = none()
    for (const { labels, cell } of http_requests_total.children)
      if (this.#reads.has(labels.route)) totals.ends[endOf(Number(labels.status))] += cell.value
    for (const { labels, cell } of http_request_duration_seconds.children) {
      if (!this.#reads.has(labels.route)) continue
      this.#bounds = [...cell.bounds]
      totals.buckets = [...cell.counts].map((count, index) => count + (totals.buckets[index] ?? 0))
    }
    for (const { labels, cell } of cache_lookups_total.children) {
      // Redis is asked only about keys that memory lacks, so each lookup counts once: as a lookup in memory.
      if (labels.tier === 'memory') totals.lookups += cell.value
      if (labels.result === 'hit' || labels.result === 'stale') totals.hits += cell.value
    }
    return totals
  }

  #now(): number {
    return Math.floor(this.#clock.now() / minuteMs)
  }
}

function endOf(status: number): End {
  if (status === 404) return 'absent'
  if (status >= 500) return 'failed'
  return status >= 400 ? 'refused' : 'answered'
}

function none(): Totals {
  return { ends: { answered: 0, absent: 0, refused: 0, failed: 0 }, lookups: 0, hits: 0, buckets: [] }
}

/** Estimates a quantile by interpolation within its bucket, as Prometheus does. */
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
