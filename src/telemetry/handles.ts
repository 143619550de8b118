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

/** What one super validator does, with its counters at hand. What is told after it left is not counted under its name. */
export interface SuperValidatorEvents {
  /** @param read left out for what is no read, such as a probe. */
  asked(outcome: AskOutcome, seconds: number, read?: string): void
  voted(read: string, vote: VoteLabel): void
}

/** What one route answers, with its counters at hand. */
export interface RouteEvents {
  served(method: string, status: number, seconds: number): void
}

const knownOutcomes: ReadonlySet<string> = new Set(askOutcomes)
const knownMethods: ReadonlySet<string> = new Set(methods)

/**
 * @param now milliseconds.
 * @param faulted told of each ask that ended in a fault.
 */
export function superValidatorHandle(
  metrics: Metrics,
  sv: string,
  now: () => number,
  faulted: (fault: AskOutcome) => void,
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
  // All at once: a first dissent is seen as an increase only if it was 0 before.
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
      if (ask.isFault) faulted(outcome)
      else heard()
    },
    voted(read, vote) {
      ballots(read)[vote].inc()
    },
  }
}

/** What becomes of one read's questions, with its counters at hand; by its id. */
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

/** `make`, once a key; what is made for a key that is not `known` is not kept, so that nobody can make this grow. */
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
