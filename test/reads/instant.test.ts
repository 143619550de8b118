import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isoTime } from '../../src/reads/contract.ts'
import { instantKey, isLater } from '../../src/reads/instant.ts'

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

function isTime(text: string): boolean {
  return isoTime.safeParse(text).success
}

test('a time is one that Splice prints and the engine knows', () => {
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/
  fc.assert(
    fc.property(times, (text) => {
      expect(isTime(text)).toBe(form.test(text) && !Number.isNaN(Date.parse(text)))
    }),
    { numRuns: 2000 },
  )
})

test('the later of two times is the one whose instant is later', () => {
  const valid = times.filter(isTime)
  fc.assert(
    fc.property(valid, valid, fraction, (one, other, decimals) => {
      expect(isLater(one, other)).toBe(instantKey(one) > instantKey(other))
      const near = one.replace(/(?:\.\d+)?Z$/, `${decimals}Z`)
      expect(isLater(one, near)).toBe(instantKey(one) > instantKey(near))
    }),
    { numRuns: 2000 },
  )
})
