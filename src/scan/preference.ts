import type { Clock } from '../lib/clock.ts'
import type { Health } from './health.ts'
import type { Ingress, Pace } from './pace.ts'

/** How long what was measured over all voters is taken for right. */
const measuredForMs = 100
/** Delays are whole multiples of it: timers of one length cost less than as many of different lengths. */
const hedgeStepMs = 10
/** Of one that may not be asked now: after all others, when it may be its time. */
const lastWeight = 1e-9

/** What is known of one voter's node. */
interface Known {
  readonly health: Health
  readonly pace: Pace
}

/** Whom of a roster to ask first, and how long to wait for them. */
export class Preference {
  readonly #known: readonly (Known | undefined)[]
  readonly #clock: Clock
  #measuredAt = Number.NEGATIVE_INFINITY
  /** The median latency. */
  #usualMs = 0
  /** When an answer is overdue, by voter that can be asked, in ascending order. */
  #overdueMs: readonly number[] = []

  /** @param known by voter index; undefined for one that cannot be asked. */
  constructor(known: readonly (Known | undefined)[], clock: Clock) {
    this.#known = known
    this.#clock = clock
  }

  /** How much each voter is to be preferred, by index; 0 for one that cannot be asked. */
  weights(ingress: Ingress): readonly number[] {
    const now = this.#clock.now()
    this.#measure(now)
    return this.#known.map((known) => {
      if (known === undefined) return 0
      return known.pace.allows(ingress, now) ? known.health.weight(this.#usualMs) : lastWeight
    })
  }

  /**
   * As long as the slowest of those asked first may take, and no longer than the slowest of all but f: so that faulty
   * ones cannot teach the others' callers to be patient with them.
   */
  hedgeMs(first: readonly number[], f: number): number {
    this.#measure(this.#clock.now())
    let slowest = 0
    for (const voter of first) {
      slowest = Math.max(slowest, this.#known[voter]?.health.overdueMs ?? 0)
    }
    const most = this.#overdueMs[Math.max(0, this.#overdueMs.length - 1 - f)] ?? 0
    return Math.ceil(Math.min(slowest, most) / hedgeStepMs) * hedgeStepMs
  }

  #measure(now: number): void {
    if (now - this.#measuredAt < measuredForMs) return
    this.#measuredAt = now
    const healths = this.#known.flatMap((known) => known?.health ?? [])
    this.#overdueMs = healths.map(({ overdueMs }) => overdueMs).sort(ascending)
    const latencies = healths.flatMap(({ latencyMs }) => latencyMs ?? []).sort(ascending)
    this.#usualMs = latencies[latencies.length >> 1] ?? 0
  }
}

function ascending(a: number, b: number): number {
  return a - b
}
