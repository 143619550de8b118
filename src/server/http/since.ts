import { tryMilliseconds } from '../../base/lib/clock.ts'
import { canonicalInstant } from '../../core/reads/instant.ts'

export const startOfRangeIs = 'time (2026-11-21T08:46:00Z), date (2026-11-21) or duration (1h30m)'

const dateLength = '2026-11-21'.length

/**
 * Parses the start of a time range: a time, a date in UTC, or a duration before now such as
 * `1h30m`. Returns milliseconds since 1970.
 */
export function startOfRange(since: string, wall: number): number | undefined {
  const ago = durationOf(since)
  return ago === undefined ? tryInstant(since) : wall - ago
}

/** Parses a time, or a date in UTC. Returns milliseconds since 1970. */
export function tryInstant(text: string): number | undefined {
  const instant = canonicalInstant(text.length === dateLength ? `${text}T00:00:00Z` : text)
  return instant === undefined ? undefined : Date.parse(instant)
}

function durationOf(text: string): number | undefined {
  const parts = text.match(/(?<![\d.])[\d.]+[a-z]+/g)
  if (parts?.join('') !== text) return undefined
  const all = parts.map(tryMilliseconds)
  return all.every((ms) => ms !== undefined) ? all.reduce((sum, ms) => sum + ms, 0) : undefined
}
