import { withoutTrailing } from '../../lib/without-trailing.ts'

/** Microseconds since 1970 UTC, the resolution of ledger times. A double stores them exactly. */
export type Micros = number

export function microsOf(wallMs: number): Micros {
  return Math.floor(wallMs * 1000)
}

/** Parses a UTC time as Splice writes it. Returns NaN if the text is not such a time. */
export function microsIn(text: unknown): Micros {
  const [, whole = '', fraction = ''] = /^([^.Z]*)(?:\.(\d+))?Z$/.exec(String(text)) ?? []
  return Date.parse(`${whole}Z`) * 1_000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}

/**
 * Formats a time as circe writes an `OffsetDateTime`: with as few fraction digits as the time
 * needs, and `Z`.
 */
export function isoTime(micros: Micros): string {
  const seconds = Math.floor(micros / 1_000_000)
  const fraction = micros - seconds * 1_000_000
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19)
  return fraction === 0 ? `${whole}Z` : `${whole}.${withoutTrailing('0', String(fraction).padStart(6, '0'))}Z`
}
