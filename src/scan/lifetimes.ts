import type { Lifetime } from '../cache/answer.ts'
import { milliseconds } from '../lib/clock.ts'
import { reads } from '../reads/table.ts'

export interface ReadLifetimes {
  readonly value: Lifetime
  readonly absence: Lifetime
}

interface ConfiguredTimes {
  readonly freshMs?: number
  readonly staleMs?: number
  readonly absentMs?: number
}

/** Returns by read id how long caches keep an answer: as configured, or as the read says. */
export function lifetimesOf(
  configured: Readonly<Record<string, ConfiguredTimes>>,
): Readonly<Record<string, ReadLifetimes>> {
  const times = Object.values(reads).map(({ id, cache }) => {
    const own = configured[id]
    const absentMs = own?.absentMs ?? milliseconds(cache.absent)
    const value = {
      freshMs: own?.freshMs ?? milliseconds(cache.fresh),
      staleMs: own?.staleMs ?? milliseconds(cache.stale),
    }
    return [id, { value, absence: { freshMs: absentMs, staleMs: absentMs } }] as const
  })
  return Object.fromEntries(times)
}
