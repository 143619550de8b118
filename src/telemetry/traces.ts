import type { AskOutcome, ReadOutcome } from './catalogue.ts'

/**
 * Why a super validator was asked: `first` in the first wave, `hedge` because another one is late, `more` because the
 * answers so far do not decide, `audit` after the verdict, for evidence.
 */
export type AskReason = 'first' | 'hedge' | 'more' | 'audit'

/** The traces of reads that are put to the quorum. Undefined stands for none and costs nothing. No method throws. */
export interface Traces extends AsyncDisposable {
  /**
   * Begins the trace of one read.
   * @param caller the caller's W3C `traceparent`, already validated.
   */
  read(read: string, about: AboutRead, caller: string | undefined): ReadTrace
}

export interface AboutRead {
  /** How many votes win, and out of how many. */
  readonly threshold: number
  readonly voters: number
  /** Why the quorum is asked: nothing is cached, or the caller received a stale answer. */
  readonly cache: 'miss' | 'stale'
}

export interface ReadTrace {
  ask(sv: string, reason: AskReason): AskTrace
  settled(verdict: SettledRead): void
  /** Ends the trace because no caller waits any more. Does nothing if the read is settled. */
  abandoned(): void
}

export interface SettledRead {
  readonly outcome: ReadOutcome
  /** The sentence of the rule that decided. */
  readonly rule: string
  readonly agreed: number
  readonly asked: number
}

export interface AskTrace {
  /** W3C `traceparent` for the request. Undefined if the trace stays in this process. */
  readonly traceParent: string | undefined
  heard(outcome: AskOutcome, exchange: Exchange): void
  abandoned(): void
}

/** What a trace records of one HTTP request to a scan and its response. */
export interface Exchange {
  /** The HTTP status and the decoded body's size in bytes. Undefined if no whole response arrived. */
  readonly status: number | undefined
  readonly bytes: number | undefined
  /** True if the request was sent a second time, on a new connection. */
  readonly resent: boolean
}
