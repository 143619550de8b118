import type { Answer, Lifetime } from './answer.ts'

export type FreshnessState = 'fresh' | 'stale' | 'ended'

export interface Freshness {
  readonly state: FreshnessState
  readonly ageMs: number
}

export interface StoredAnswer {
  readonly answer: Answer
  readonly lifetime: Lifetime
  readonly agreedAt: number
}

/**
 * Computes whether the cache may serve a stored answer (quorum.md#freshness). An absence is never
 * stale: it ends when it is no longer fresh.
 * @param now a value of `Clock.now()`, as is `agreedAt`.
 * @param wall a value of `Clock.wall()`.
 */
export function freshness(
  { answer, lifetime, agreedAt }: StoredAnswer,
  now: number,
  wall: number,
): Freshness {
  const ageMs = Math.max(0, now - agreedAt)
  const endsInMs = answer.endsAt === undefined ? Number.POSITIVE_INFINITY : answer.endsAt - wall
  const leftMs = Math.min(lifetime.freshMs - ageMs, endsInMs)
  if (leftMs > 0) return { state: 'fresh', ageMs }
  const state = endsInMs > 0 && ageMs < staleMs(answer, lifetime) ? 'stale' : 'ended'
  return { state, ageMs }
}

export function staleMs(answer: Answer, lifetime: Lifetime): number {
  return answer.kind === 'absence' ? lifetime.freshMs : Math.max(lifetime.freshMs, lifetime.staleMs)
}

export function storable(answer: Answer, lifetime: Lifetime, wall: number): boolean {
  return staleMs(answer, lifetime) > 0 && (answer.endsAt === undefined || answer.endsAt > wall)
}
