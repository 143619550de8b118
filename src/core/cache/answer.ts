import { ageMs, isClockStepped, type Moment } from '../../base/lib/clock.ts'
import type { Agreement } from './agreement.ts'
import type { AnswerProvenance } from './provenance.ts'

/** An answer that a quorum agreed on: an HTTP status and the exact bytes of the body. Immutable. */
export interface Answer {
  /**
   * `value` has the status 200. `absence` is an agreed refusal, such as a 404 for an unknown name.
   */
  readonly kind: 'value' | 'absence'
  readonly status: number
  readonly body: Buffer
  /** The SHA-256 of `body`, as base64url. */
  readonly digest: string
  readonly agreement: Agreement
  /**
   * The time in milliseconds since 1970 from which the body is false, for example because a name
   * expires.
   */
  readonly endsAt?: number
  /** A text that sorts like the age of the value. Absent if the value does not show its age. */
  readonly version?: string
  /**
   * The votes behind the answer. Absent if the daemon signs no receipts. Redis never stores them.
   */
  readonly provenance?: AnswerProvenance
}

export interface Lifetime {
  readonly freshMs: number
  /**
   * The age up to which a value is served while a refresh runs. A time below `freshMs` counts as
   * `freshMs`.
   */
  readonly staleMs: number
}

export type FreshnessState = 'fresh' | 'stale' | 'ended'

export interface StoredAnswer {
  readonly answer: Answer
  readonly lifetime: Lifetime
  readonly agreedAt: Moment
}

/**
 * Computes whether the cache may serve a stored answer (quorum.md#freshness). An absence is never
 * stale: it ends when it is no longer fresh.
 */
export function freshness({ answer, lifetime, agreedAt }: StoredAnswer, at: Moment): FreshnessState {
  const isEnded = answer.endsAt !== undefined && answer.endsAt <= at.wall
  if (isEnded || isClockStepped(agreedAt, at)) return 'ended'
  const age = ageMs(agreedAt, at)
  if (age < lifetime.freshMs) return 'fresh'
  return age < staleMs(answer, lifetime) ? 'stale' : 'ended'
}

export function staleMs(answer: Answer, lifetime: Lifetime): number {
  return answer.kind === 'absence' ? lifetime.freshMs : Math.max(lifetime.freshMs, lifetime.staleMs)
}

export function storable(answer: Answer, lifetime: Lifetime, wall: number): boolean {
  return staleMs(answer, lifetime) > 0 && (answer.endsAt === undefined || answer.endsAt > wall)
}
