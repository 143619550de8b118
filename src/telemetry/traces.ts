import type { AskOutcome, ReadOutcome } from './label-values.ts'

/**
 * The reason why a super validator was asked:
 * - `first`: it is in the first group that is asked.
 * - `hedge`: the reply of another super validator is late.
 * - `more`: the replies so far do not decide the read.
 * - `audit`: for evidence, after the verdict.
 */
export type AskReason = 'first' | 'hedge' | 'more' | 'audit'

/**
 * Records traces of the reads for which super validators are asked. No method throws. If tracing is off,
 * callers have undefined instead of this object.
 */
export interface Traces extends AsyncDisposable {
  /**
   * Begins the trace of one read.
   * @param caller the caller's W3C `traceparent`, already validated.
   */
  read(read: string, about: AboutRead, caller: string | undefined): ReadTrace
}

export interface AboutRead {
  /** The number of equal votes that win. `voters` is n, the number of voters in the roster. */
  readonly threshold: number
  readonly voters: number
  /**
   * The state of the cache when the super validators are asked. `miss`: the cache had no answer for the
   * caller. `stale`: the caller already received a stale answer.
   */
  readonly cache: 'miss' | 'stale'
}

export interface ReadTrace {
  ask(sv: string, reason: AskReason): AskTrace
  settled(verdict: SettledRead): void
  /** Ends the trace because the caller stopped waiting. Does nothing if the read already has a verdict. */
  abandoned(): void
}

export interface SettledRead {
  readonly outcome: ReadOutcome
  /** A sentence that states the rule by which the read was decided. */
  readonly rule: string
  readonly agreed: number
  readonly asked: number
}

export interface AskTrace {
  /** The W3C `traceparent` to send to the scan. Undefined if scans must not see the trace. */
  readonly traceParent: string | undefined
  heard(outcome: AskOutcome, exchange: Exchange): void
  abandoned(): void
}

/** The facts that a trace records about one HTTP request to a scan and its response. */
export interface Exchange {
  /**
   * The HTTP status. `bytes` is the size of the decoded body. Both are undefined if no complete response
   * arrived.
   */
  readonly status: number | undefined
  readonly bytes: number | undefined
  /** Whether the request was sent a second time, on a new connection. */
  readonly resent: boolean
}
