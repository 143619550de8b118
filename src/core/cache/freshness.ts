import { ageMs, isClockStepped, type Moment } from '../../base/lib/clock.ts'
import type { Answer, Lifetime } from './answer.ts'

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
