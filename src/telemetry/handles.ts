import { STATUS_CODES } from 'node:http'
import type { Counter } from './instruments.ts'
import {
  type AskOutcome,
  askOutcomes,
  isFault,
  methods,
  type ReadOutcome,
  type VoteLabel,
  votes,
} from './label-values.ts'
import type { Metrics } from './metrics.ts'

export interface SuperValidatorEvents {
  asked(outcome: AskOutcome, seconds: number): void
  voted(read: string, vote: VoteLabel, agoMs?: number): void
}

export interface RouteEvents {
  served(method: string, status: number, seconds: number, requestId?: string): void
  hit(): void
}

const knownOutcomes: ReadonlySet<string> = new Set(askOutcomes)
const knownMethods: ReadonlySet<string> = new Set(methods)

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
  // The counters of all votes begin together at 0. Prometheus notices only increases, so it would
  // miss the first dissent if that counter began at 1.
  const ballots = kept(
    (read: string) =>
      Object.fromEntries(votes.map((vote) => [vote, metrics.votes_total.with({ sv, read, vote })])) as Record<
        VoteLabel,
        Counter
      >,
    (read) => metrics.reads.has(read),
  )
  return {
    asked(outcome, seconds) {
      const ask = asks(outcome)
      ask.requests.inc()
      ask.duration.observe(seconds)
      if (ask.isFault) return outcomes.faulted(outcome)
      heard()
      outcomes.answered()
    },
    voted(read, vote) {
      ballots(read)[vote].inc()
    },
  }
}

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
  let hits: Counter | undefined
  return {
    served(method, status, seconds) {
      const { requests, duration } = cells(method)(status)
      requests.inc()
      duration.observe(seconds)
    },
    hit() {
      hits ??= metrics.http_cache_hits_total.with({ route })
      hits.inc()
    },
  }
}

/**
 * Calls `make` once for each key that `known` accepts. Results for other keys are not stored, so
 * that callers cannot fill the memory.
 */
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
