import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalInstant, instantKey, isInstant, isLater, timeText } from '../../src/core/reads/instant.ts'

const two = (max: number) => fc.nat({ max }).map((number) => String(number).padStart(2, '0'))
const fraction = fc.stringMatching(/^(?:\.\d{1,9})?$/)
const zone = fc.constantFrom('Z', 'Z', 'Z', 'Z', 'Z', 'Z', 'z', '', '+00:00')
const times = fc
  .tuple(fc.constantFrom('0000', '1999', '2024', '2026', '9999'), two(13), two(32), two(24), two(60), two(60))
  .chain(([year, month, day, hours, minutes, seconds]) =>
    fc.tuple(fraction, zone).map(([decimals, end]) => {
      return `${year}-${month}-${day}T${hours}:${minutes}:${seconds}${decimals}${end}`
    }),
  )

/** Whether the date exists, computed without the code under test. */
function isOnCalendar(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number)
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  return day >= 1 && day <= (days[month - 1] ?? 0)
}

test('a time is one of ISO 8601 with an offset, on a day that exists', () => {
  const form = /^\d{4}-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|\+00:00)$/
  fc.assert(
    fc.property(times, (text) => {
      expect(isInstant(text)).toBe(form.test(text) && isOnCalendar(text))
    }),
    { numRuns: 2000 },
  )
})

test('a time on a day that does not exist has no canonical form', () => {
  expect(canonicalInstant('2026-02-28T23:30:00-01:00')).toBe('2026-03-01T00:30:00Z')
  for (const text of ['2026-02-31T00:00:00Z', '2026-02-29T12:00:00+01:00', '2026-04-31T00:00Z'])
    expect(canonicalInstant(text)).toBeUndefined()
  for (const offset of ['+18:01', '-23:00', '+25', '+1', '+01:60', '+01:0'])
    expect(canonicalInstant(`2026-02-28T00:00:00${offset}`)).toBeUndefined()
  expect(canonicalInstant('2026-02-28t23:30:00+18')).toBe('2026-02-28T05:30:00Z')
  expect(canonicalInstant('2026-02-28T23:30:00.50z')).toBe('2026-02-28T23:30:00.5Z')
})

test('a canonical form is always a time that Splice prints, also where the offset leads to another year', () => {
  for (const text of ['9999-12-31T23:59:59-01:00', '9999-12-31T23:30-00:31', '0000-01-01T00:00:00+01:00'])
    expect(canonicalInstant(text)).toBeUndefined()
  const offsets = fc.tuple(fc.constantFrom('+', '-'), two(25), two(60)).map(([s, h, m]) => `${s}${h}:${m}`)
  fc.assert(
    fc.property(times.filter(isInstant), offsets, (text, offset) => {
      const canonical = canonicalInstant(text.replace('Z', offset))
      if (canonical !== undefined) expect(isInstant(canonical)).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test('the later of two times is the one whose instant is later', () => {
  const valid = times.filter(isInstant).map(timeText)
  fc.assert(
    fc.property(valid, valid, fraction, (one, other, decimals) => {
      expect(isLater(one, other)).toBe(instantKey(one) > instantKey(other))
      const near = one.replace(/(?:\.\d+)?Z$/, `${decimals}Z`)
      expect(isLater(one, near)).toBe(instantKey(one) > instantKey(near))
    }),
    { numRuns: 2000 },
  )
})
