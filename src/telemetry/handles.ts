import { STATUS_CODES } from 'node:http'
import {
  type AskOutcome,
  askOutcomes,
  isFault,
  methods,
  type ReadOutcome,
  type VoteLabel,
  votes,
} from './catalogue.ts'
import type { Counter } from './instruments.ts'
import type { Metrics } from './metrics.ts'

/**
 * Reports the events of one super validator, with its counters already found. After the super validator has left the
 * roster, its events no longer count under its name.
 */
export interface SuperValidatorEvents {
  /**
   * Counts a request to the scan, and its duration.
   * @param read absent if the request was for no read, such as a probe.
   */
  asked(outcome: AskOutcome, seconds: number, read?: string): void
  voted(read: string, vote: VoteLabel): void
}

/** Reports the events of one route, with its counters already found. */
export interface RouteEvents {
  /** @param requestId the `x-request-id` of the answer. */
  served(method: string, status: number, seconds: number, requestId?: string): void
}

const knownOutcomes: ReadonlySet<string> = new Set(askOutcomes)
const knownMethods: ReadonlySet<string> = new Set(methods)

/**
 * Returns the object for one super validator's events.
 * @param now a monotonic clock, in milliseconds.
 * @param outcomes called after each request to the scan: `faulted` if the request ended in a fault, else `answered`.
 */
export function superValidatorHandle(
  metrics: Metrics,
  sv: string,
  now: () => number,
  outcomes: { readonly faulted: (fault: AskOutcome) => void; readonly answered: () => void },
): SuperValidatorEvents {
  let heardAt: number | undefined
  const heard = () => {
    const isFirst = heardAt === undefined
    heardAt = now()
    if (isFirst) metrics.scan_silent_seconds.with({ sv }).readFrom(() => (now() - (heardAt ?? 0)) / 1000)
  }
  const asks = kept(
    (outcome: AskOutcome) => ({
      requests: metrics.scan_requests_total.with({ sv, outcome }),
      duration: metrics.scan_request_duration_seconds.with({ sv, outcome }),
      isFault: isFault(outcome),
    }),
    (outcome) => knownOutcomes.has(outcome),
  )
  // Creates all counters together: a first dissent appears as an increase only if the counter was 0 before.
  const ballots = kept(
    (read: string) =>
      Object.fromEntries(votes.map((vote) => [vote, metrics.votes_total.with({ sv, read, vote })])) as Record<
        VoteLabel,
        Counter
      >,
    (read) => metrics.reads.has(read),
  )
  return {
    asked(outcome, seconds, read) {
      const ask = asks(outcome)
      ask.requests.inc()
      ask.duration.observe(seconds)
      if (read !== undefined) metrics.splice?.asked(sv, read, outcome, seconds)
      if (ask.isFault) return outcomes.faulted(outcome)
      heard()
      outcomes.answered()
    },
    voted(read, vote) {
      ballots(read)[vote].inc()
    },
  }
}

/** Returns a function from a read's id to the object for its events, with its counters already found. */
export function readHandles(
  metrics: Metrics,
): (read: string) => { told(outcome: ReadOutcome, seconds: number): void } {
  return kept(
    (read) => {
      const cells = kept(
        (outcome: ReadOutcome) => ({
          reads: metrics.reads_total.with({ read, outcome }),
          duration: metrics.read_duration_seconds.with({ read, outcome }),
        }),
        () => true,
      )
      return {
        told(outcome, seconds) {
          const { reads, duration } = cells(outcome)
          reads.inc()
          duration.observe(seconds)
        },
      }
    },
    (read) => metrics.reads.has(read),
  )
}

export function routeHandle(metrics: Metrics, route: string): RouteEvents {
  const cells = kept(
    (method: string) =>
      kept(
        (status: number) => {
          const labels = { route, method: method as (typeof methods)[number], status: String(status) }
          return {
            requests: metrics.http_requests_total.with(labels),
            duration: metrics.http_request_duration_seconds.with(labels),
          }
        },
        (status) => STATUS_CODES[status] !== undefined,
      ),
    (method) => knownMethods.has(method),
  )
  return {
    served(method, status, seconds) {
      const { requests, duration } = cells(method)(status)
      requests.inc()
      duration.observe(seconds)
    },
  }
}

/** Memoizes `make` by key. Results for keys that are not `known` are not kept, so that callers cannot fill memory. */
function kept<K, V>(make: (key: K) => V, known: (key: K) => boolean): (key: K) => V {
  const values = new Map<K, V>()
  return (key) => {
    const value = values.get(key)
    if (value !== undefined) return value
    const made = make(key)
    if (known(key)) values.set(key, made)
    return made
  }
}
