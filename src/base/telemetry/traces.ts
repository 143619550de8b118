import type { AskOutcome, ReadOutcome } from './label-values.ts'

/**
 * The reason why a super validator was asked:
 * - `first`: it is in the first group that is asked.
 * - `hedge`: the reply of another super validator is late.
 * - `more`: the replies so far do not decide the read.
 * - `audit`: for evidence, after the verdict.
 */
export type AskReason = 'first' | 'hedge' | 'more' | 'audit'

/** No method throws. If tracing is off, callers have undefined instead of this object. */
export interface Traces extends AsyncDisposable {
  /** @param caller the caller's W3C `traceparent`, already validated */
  read(read: string, about: AboutRead, caller: string | undefined): ReadTrace
}

export interface AboutRead {
  /** This many equal votes win, out of `voters`. */
  readonly threshold: number
  readonly voters: number
  /** With `stale`, the caller has already received an old answer. */
  readonly cache: 'miss' | 'stale'
}

export interface ReadTrace {
  ask(sv: string, reason: AskReason): AskTrace
  settled(verdict: SettledRead): void
  abandoned(): void
}

export interface SettledRead {
  readonly outcome: ReadOutcome
  readonly rule: string
  readonly agreed: number
  readonly asked: number
}

export interface AskTrace {
  /** Undefined if scans must not see the trace. */
  readonly traceParent: string | undefined
  heard(outcome: AskOutcome, exchange: Exchange): void
  abandoned(): void
}

export interface Exchange {
  /**
   * `status` and `bytes` are undefined if no complete response arrived. `bytes` is the size of the
   * decoded body.
   */
  readonly status: number | undefined
  readonly bytes: number | undefined
  readonly resent: boolean
}
