import { withoutTrailing } from '../../../base/lib/without-trailing.ts'
import type { Micros } from '../value.ts'
import { Refused } from './refused.ts'

/** A Daml `Time`, such as `2026-05-04T09:15:02.5Z`. The fraction has no trailing zeros. */
export type Time = string
export type RelTime = { readonly microseconds: string }

const written = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?(Z|[+-](?:0\d|1[0-8])(?::?[0-5]\d)?)$/

/**
 * Parses a time in ISO 8601 with `Z` or an offset from UTC. Digits after the microseconds are
 * dropped. Returns undefined for another format, and for a time more than 285 years from 1970: a
 * number cannot represent its microseconds exactly.
 */
export function tryMicros(text: string): Micros | undefined {
  const micros = roundedMicros(text)
  return Number.isSafeInteger(micros) ? micros : undefined
}

/** As `tryMicros`, but NaN for another format, and rounded for a time that is too far from 1970. */
export function roundedMicros(text: string): number {
  const match = written.exec(text)
  if (match === null) return Number.NaN
  const [, whole = '', fraction = '', zone = ''] = match
  const wallMs = Date.parse(`${whole}${offset(zone)}`)
  return isExactDay(whole) ? wallMs * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0')) : Number.NaN
}

export function microsOf(time: Time): Micros {
  const micros = tryMicros(time)
  if (micros === undefined) throw new TypeError(`not a Time: ${time}`)
  return micros
}

export function timeOf(micros: Micros): Time {
  if (!Number.isSafeInteger(micros)) throw outOfRange()
  const seconds = Math.floor(micros / 1_000_000)
  const fraction = String(micros - seconds * 1_000_000).padStart(6, '0')
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19)
  return fraction === '000000' ? `${whole}Z` : `${whole}.${withoutTrailing('0', fraction)}Z`
}

export function later(micros: Micros, duration: RelTime): Micros {
  const sum = Number(BigInt(micros) + BigInt(duration.microseconds))
  if (!Number.isSafeInteger(sum)) throw outOfRange()
  return sum
}

function offset(zone: string): string {
  if (zone === 'Z' || zone.length === 6) return zone
  return zone.length === 3 ? `${zone}:00` : `${zone.slice(0, 3)}:${zone.slice(3)}`
}

/** `Date.parse` alone would take the 31st of February for the 3rd of March. */
function isExactDay(whole: string): boolean {
  const day = whole.slice(0, 10)
  if (day.slice(8) <= '28') return true
  const read = Date.parse(`${day}T00:00Z`)
  return !Number.isNaN(read) && new Date(read).toISOString().startsWith(day)
}

function outOfRange(): Refused {
  return new Refused('DAML_INTERPRETATION_ERROR', 'Arithmetic error: a time is out of range')
}
