import type { AskOutcome, ReadOutcome } from './catalogue.ts'

/**
 * The reason why a super validator was asked. `first`: in the first wave. `hedge`: the reply of another one is late.
 * `more`: the replies so far do not decide. `audit`: after the verdict, for evidence.
 */
export type AskReason = 'first' | 'hedge' | 'more' | 'audit'

/**
 * Records traces of the reads that ask super validators. Callers use undefined instead if nothing is traced. No
 * method throws.
 */
export interface Traces extends AsyncDisposable {
  /**
   * Begins the trace of one read.
   * @param caller the caller's W3C `traceparent`, already validated.
   */
  read(read: string, about: AboutRead, caller: string | undefined): ReadTrace
}

export interface AboutRead {
  /** The number of equal votes that win, and the number of voters. */
  readonly threshold: number
  readonly voters: number
  /**
   * The reason why the super validators are asked. `miss`: nothing is cached. `stale`: the caller already received a
   * stale answer.
   */
  readonly cache: 'miss' | 'stale'
}

export interface ReadTrace {
  ask(sv: string, reason: AskReason): AskTrace
  settled(verdict: SettledRead): void
  /** Ends the trace because no caller waits any more. Does nothing if the read has its verdict already. */
  abandoned(): void
}

export interface SettledRead {
  readonly outcome: ReadOutcome
  /** The sentence of the rule that decided the read. */
  readonly rule: string
  readonly agreed: number
  readonly asked: number
}

export interface AskTrace {
  /** The W3C `traceparent` to send to the scan. Undefined if the trace is not passed on to scans. */
  readonly traceParent: string | undefined
  heard(outcome: AskOutcome, exchange: Exchange): void
  abandoned(): void
}

/** The part of a trace about one HTTP request to a scan, and its response. */
export interface Exchange {
  /** `status` is the HTTP status, `bytes` the size of the decoded body. Undefined if no whole response arrived. */
  readonly status: number | undefined
  readonly bytes: number | undefined
  /** True if the request was sent a second time, on a new connection. */
  readonly resent: boolean
}
