const pattern = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?Z$/

/**
 * Matches valid UTC times on the days 1 to 28. Every month has these days, so `isTime` need not look at the calendar.
 */
const onAnyDay =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/

/** Whether a text is a UTC time as Splice writes it: `2026-03-01T12:00:00Z`, with up to nine decimals. */
export function isTime(text: string): boolean {
  return onAnyDay.test(text) || (pattern.test(text) && isOnCalendar(text))
}

/** Whether the date of a UTC time exists. JavaScript would take February 31st for March 3rd. */
function isOnCalendar(text: string): boolean {
  const at = Date.parse(text)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text.slice(0, 10))
}

const offsetPattern = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?)(?:\.(\d{1,9}))?(Z|[+-]\d{2}(?::?\d{2})?)$/

/**
 * Returns the canonical text of a time, in UTC: `2026-03-01T13:00:00.50+01:00` becomes
 * `2026-03-01T12:00:00.5Z`. Returns undefined if the text is not a time with an offset, or if the year in UTC
 * does not have four digits.
 */
export function canonicalInstant(text: string): string | undefined {
  const match = offsetPattern.exec(text)
  if (match === null) return undefined
  const [, local = '', fraction = '', zone = ''] = match
  if (!isOnCalendar(`${local}Z`)) return undefined
  const offset = zone === 'Z' ? zone : `${zone.slice(0, 3)}:${zone.replace(':', '').slice(3) || '00'}`
  const seconds = Date.parse(`${local.length === 16 ? `${local}:00` : local}${offset}`)
  if (Number.isNaN(seconds)) return undefined
  const utc = new Date(seconds).toISOString()
  if (!isTime(utc)) return undefined
  const decimals = fraction.replace(/0+$/, '')
  return `${utc.slice(0, 19)}${decimals === '' ? '' : `.${decimals}`}Z`
}

/**
 * Returns a sort key of a time: a later time has a larger text. The text is empty, and so comes first, if the
 * time is null or invalid.
 */
export function instantKey(time: string | null): string {
  const match = time === null ? null : pattern.exec(time)
  return match === null ? '' : `${match[1]}.${(match[2] ?? '').padEnd(9, '0')}`
}

/** Whether `one` is a later time than `other`. Both must be valid according to `isTime`. */
export function isLater(one: string, other: string): boolean {
  return one.length === other.length ? one > other : instantKey(one) > instantKey(other)
}

/**
 * Returns a sort key for descending order: a later time has a smaller text. A null or invalid time has the
 * largest text, and so comes last.
 */
export function laterFirst(time: string | null): string {
  const key = instantKey(time).replace(/\d/g, (digit) => String(9 - Number(digit)))
  return key === '' ? '~' : key
}

/** Returns the earliest of these times in milliseconds since 1970; undefined if all of them are null. */
export function earliest(times: readonly (string | null)[]): number | undefined {
  let first: number | undefined
  for (const time of times) {
    if (time === null) continue
    const at = Date.parse(time)
    if (first === undefined || at < first) first = at
  }
  return first
}
