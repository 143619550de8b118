import type { Answer, Lifetime } from './answer.ts'

/**
 * The permitted use of a stored answer:
 * - `fresh`: it is served without a refresh.
 * - `stale`: it is served while a refresh runs.
 * - `ended`: it is not served any more.
 */
export type FreshnessState = 'fresh' | 'stale' | 'ended'

export interface Freshness {
  readonly state: FreshnessState
  readonly ageMs: number
}

/** A stored answer with its times. `agreedAt` is a value of `Clock.now()`. */
export interface Dated {
  readonly answer: Answer
  readonly lifetime: Lifetime
  readonly agreedAt: number
}

/**
 * Computes the freshness of a stored answer (quorum.md#freshness). The answer is not served after the age
 * `staleMs` or after its own `endsAt`, whichever comes first. An absence is served only while it is fresh.
 *
 * @param now the present time, as a value of `Clock.now()`.
 * @param wall the present time, as a value of `Clock.wall()`.
 */
export function freshness({ answer, lifetime, agreedAt }: Dated, now: number, wall: number): Freshness {
  const ageMs = Math.max(0, now - agreedAt)
  const endsInMs = answer.endsAt === undefined ? Number.POSITIVE_INFINITY : answer.endsAt - wall
  const leftMs = Math.min(lifetime.freshMs - ageMs, endsInMs)
  if (leftMs > 0) return { state: 'fresh', ageMs }
  const state = endsInMs > 0 && ageMs < staleMs(answer, lifetime) ? 'stale' : 'ended'
  return { state, ageMs }
}

/**
 * Returns the age in milliseconds after which an answer is not served any more. The answer's own `endsAt` may
 * come earlier.
 */
export function staleMs(answer: Answer, lifetime: Lifetime): number {
  return answer.kind === 'absence' ? lifetime.freshMs : Math.max(lifetime.freshMs, lifetime.staleMs)
}

/**
 * Whether an answer can be stored. False if its lifetime is 0, or if its `endsAt` has passed by this machine's clock.
 */
export function storable(answer: Answer, lifetime: Lifetime, wall: number): boolean {
  return staleMs(answer, lifetime) > 0 && (answer.endsAt === undefined || answer.endsAt > wall)
}
