import { bytes, type Size } from '../lib/bytes.ts'
import { type Duration, milliseconds } from '../lib/clock.ts'

const longest = 100

/**
 * Returns a value as text for messages: on one line, without the credentials of a URL, and cut off
 * after 100 characters.
 */
export function show(value: unknown): string {
  const text = redact(JSON.stringify(value) ?? 'nothing')
  return text.length > longest ? `${text.slice(0, longest)}...` : text
}

/**
 * Hides the credentials of a URL: everything before its last `@`, and passwords in its query. The
 * URL may be malformed, for example without a scheme.
 */
export function redact(text: string): string {
  const [start, end] = [text.indexOf('//') + 2, text.lastIndexOf('@')]
  const bare = start >= 2 && end >= start ? `${text.slice(0, start)}***${text.slice(end)}` : text
  return bare
    .split('@')
    .map((part, index, parts) => (index === parts.length - 1 ? part : withoutUser(part)))
    .join('@')
    .replace(/((?:password|secret)=)[^\s"&]*/gi, '$1***')
}

/** Hides `user:password` at the end of a text, which an `@` follows. The password may contain blanks. */
function withoutUser(text: string): string {
  const start = Math.max(text.lastIndexOf('"'), text.lastIndexOf('/')) + 1
  const colon = text.indexOf(':', start)
  if (colon === -1) return text
  const user = text.slice(start, colon).split(/\s/).at(-1) ?? ''
  return `${text.slice(0, colon - user.length)}***`
}

export function showMilliseconds(ms: number): string {
  return ms === 0 ? '0s' : withUnit<Duration>(ms, ['1d', '1h', '1m', '1s', '1ms'], milliseconds)
}

export function showBytes(count: number): string {
  return withUnit<Size>(count, ['1GiB', '1MiB', '1KiB', '1B'], bytes)
}

function withUnit<Unit extends string>(
  value: number,
  units: readonly Unit[],
  worth: (unit: Unit) => number,
): string {
  const fits = units.find((unit) => value >= worth(unit) && value % worth(unit) === 0)
  const unit = fits ?? (units.at(-1) as Unit)
  return `${value / worth(unit)}${unit.slice(1)}`
}
