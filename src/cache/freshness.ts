import type { Answer, Lifetime } from './answer.ts'

/** `fresh`: served as it is. `stale`: served while a refresh runs. `ended`: served to nobody. */
export type FreshnessState = 'fresh' | 'stale' | 'ended'

export interface Freshness {
  readonly state: FreshnessState
  readonly ageMs: number
  /** Until it is no longer fresh; negative since then. */
  readonly leftMs: number
}

/** The times of one answer: `agreedAt` on the scale of `Clock.now()`. */
export interface Dated {
  readonly answer: Answer
  readonly lifetime: Lifetime
  readonly agreedAt: number
}

/**
 * What a kept answer is worth now (quorum.md#freshness). It ends at `staleMs` of age and at its own `endsAt`, whichever
 * is first; an absence has no stale time.
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

/** The age at which an answer ends when nothing inside it ends earlier. */
export function staleMs(answer: Answer, lifetime: Lifetime): number {
  return answer.kind === 'absence' ? lifetime.freshMs : Math.max(lifetime.freshMs, lifetime.staleMs)
}

/** False for an answer that this machine's clock calls ended already: it is served and not kept. */
export function storable(answer: Answer, lifetime: Lifetime, wall: number): boolean {
  return staleMs(answer, lifetime) > 0 && (answer.endsAt === undefined || answer.endsAt > wall)
}

/** Whole seconds for `cache-status`'s `ttl`: never more than is left. */
export function leftSeconds({ leftMs }: Freshness): number {
  return Math.floor(leftMs / 1000)
}
