import type { Answer, Lifetime } from './answer.ts'

/** `fresh`: served without a refresh. `stale`: served while a refresh runs. `ended`: never served. */
export type FreshnessState = 'fresh' | 'stale' | 'ended'

export interface Freshness {
  readonly state: FreshnessState
  readonly ageMs: number
  /** Milliseconds until the answer is no longer fresh; negative afterwards. */
  readonly leftMs: number
}

/** The times of one answer. `agreedAt` is on the scale of `Clock.now()`. */
export interface Dated {
  readonly answer: Answer
  readonly lifetime: Lifetime
  readonly agreedAt: number
}

/**
 * Computes the freshness of a stored answer (quorum.md#freshness). The answer ends at age `staleMs` or at its
 * own `endsAt`, whichever is first. An absence has no stale time.
 *
 * @param now `Clock.now()`
 * @param wall `Clock.wall()`
 */
export function freshness({ answer, lifetime, agreedAt }: Dated, now: number, wall: number): Freshness {
  const ageMs = Math.max(0, now - agreedAt)
  const endsInMs = answer.endsAt === undefined ? Number.POSITIVE_INFINITY : answer.endsAt - wall
  const leftMs = Math.min(lifetime.freshMs - ageMs, endsInMs)
  if (leftMs > 0) return { state: 'fresh', ageMs, leftMs }
  const state = endsInMs > 0 && ageMs < staleMs(answer, lifetime) ? 'stale' : 'ended'
  return { state, ageMs, leftMs }
}

/** The age at which an answer ends, if nothing in its body ends earlier. */
export function staleMs(answer: Answer, lifetime: Lifetime): number {
  return answer.kind === 'absence' ? lifetime.freshMs : Math.max(lifetime.freshMs, lifetime.staleMs)
}

/**
 * Whether to store the answer. False if it has already ended by this machine's clock: it is then only served.
 */
export function storable(answer: Answer, lifetime: Lifetime, wall: number): boolean {
  return staleMs(answer, lifetime) > 0 && (answer.endsAt === undefined || answer.endsAt > wall)
}

/** Returns the `ttl` of `cache-status`: the seconds that are left, rounded down. */
export function leftSeconds({ leftMs }: Freshness): number {
  return Math.floor(leftMs / 1000)
}
