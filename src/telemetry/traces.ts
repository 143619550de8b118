import type { AskOutcome, ReadOutcome } from './catalogue.ts'

/**
 * Why a super validator was asked: in the first wave, because somebody is late, as what was heard is not enough, or after
 * the verdict, for evidence.
 */
export type AskReason = 'first' | 'hedge' | 'more' | 'audit'

/** The traces of reads that are put to the quorum. Undefined stands for none: it costs nothing. Nothing here throws. */
export interface Traces extends AsyncDisposable {
  /** @param caller the W3C `traceparent` that the question came with, already found valid. */
  read(read: string, about: AboutRead, caller: string | undefined): ReadTrace
}

export interface AboutRead {
  /** How many votes win, and of how many. */
  readonly threshold: number
  readonly voters: number
  /** Why it is put to the quorum: nothing is kept, or a caller was given what is stale. */
  readonly cache: 'miss' | 'stale'
}

export interface ReadTrace {
  ask(sv: string, reason: AskReason): AskTrace
  settled(verdict: SettledRead): void
  /** Nobody waits for it any more; says nothing about one that is settled. */
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
  /** W3C `traceparent` for the request. */
  readonly traceParent: string
  heard(outcome: AskOutcome, exchange: Exchange): void
  abandoned(): void
}

/** What went over the wire. */
export interface Exchange {
  /** Of HTTP, and the bytes of its body, decoded; undefined where no whole response came. */
  readonly status: number | undefined
  readonly bytes: number | undefined
  /** Whether the request was sent a second time, on a new connection. */
  readonly resent: boolean
}
