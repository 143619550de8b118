import { withoutTrailing } from '../../base/lib/without-trailing.ts'

const pattern = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?Z$/

/**
 * Matches UTC times on the days 1 to 28, which every month has. Only other days need a look at the
 * calendar.
 */
const onAnyDay =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/

/** Whether a text is a UTC time: `2026-03-01T12:00:00Z`, with up to nine decimals. */
export function isTime(text: string): boolean {
  return onAnyDay.test(text) || (pattern.test(text) && isOnCalendar(text))
}

/**
 * Returns the one text of an instant that is voted on and served: `canonicalInstant`. A text that is
 * no instant stays as it is.
 */
export function timeText(text: string): string {
  return onAnyDay.test(text) && !(text.endsWith('0Z') && text.includes('.'))
    ? text
    : (canonicalInstant(text) ?? text)
}

/** Whether the date of a UTC time exists. JavaScript would take February 31st for March 3rd. */
function isOnCalendar(text: string): boolean {
  const at = Date.parse(text)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text.slice(0, 10))
}

/** Like Java, the offset is at most 18 hours. */
const offsetPattern =
  /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?)(?:\.(\d{1,9}))?(Z|[+-](?:18(?::?00)?|(?:0\d|1[0-7])(?::?[0-5]\d)?))$/

/**
 * Converts a time to UTC: `2026-03-01T13:00:00.50+01:00` becomes `2026-03-01T12:00:00.5Z`. As in
 * Splice, `t` and `z` are letters too. Undefined for a date or an hour that does not exist, a text
 * without offset, or a year without four digits.
 */
export function canonicalInstant(text: string): string | undefined {
  const match = offsetPattern.exec(text.toUpperCase())
  if (match === null) return undefined
  const [, local = '', fraction = '', zone = ''] = match
  if (!isOnCalendar(`${local}Z`)) return undefined
  const offset = zone === 'Z' ? zone : `${zone.slice(0, 3)}:${zone.replace(':', '').slice(3) || '00'}`
  const seconds = Date.parse(`${local.length === 16 ? `${local}:00` : local}${offset}`)
  if (Number.isNaN(seconds)) return undefined
  const utc = new Date(seconds).toISOString()
  if (!isTime(utc)) return undefined
  const decimals = withoutTrailing('0', fraction)
  return `${utc.slice(0, 19)}${decimals === '' ? '' : `.${decimals}`}Z`
}

export function isInstant(text: string): boolean {
  return onAnyDay.test(text) || canonicalInstant(text) !== undefined
}

/**
 * Returns a text that sorts like the time. A null or invalid time gives an empty text, which comes
 * first.
 */
export function instantKey(time: string | null): string {
  const match = time === null ? null : pattern.exec(time)
  return match === null ? '' : `${match[1]}.${(match[2] ?? '').padEnd(9, '0')}`
}

/** Both times must be valid by `isTime`: valid times of equal length compare as texts. */
export function isLater(one: string, other: string): boolean {
  return one.length === other.length ? one > other : instantKey(one) > instantKey(other)
}

export function laterFirst(time: string | null): string {
  const key = instantKey(time).replace(/\d/g, (digit) => String(9 - Number(digit)))
  return key === '' ? '~' : key
}

export function earliest(times: readonly (string | null)[]): number | undefined {
  const all = times.filter((time) => time !== null).map(Date.parse)
  return all.length === 0 ? undefined : Math.min(...all)
}
