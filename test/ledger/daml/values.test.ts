import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  add,
  compare,
  decimal,
  divide,
  divideRoundingUp,
  isPositive,
  multiply,
  subtract,
  sum,
  tryDecimal,
  zero,
} from '../../../src/registry/ledger/daml/decimal.ts'
import { Refused } from '../../../src/registry/ledger/daml/refused.ts'
import { later, microsOf, timeOf, tryMicros } from '../../../src/registry/ledger/daml/time.ts'
import {
  bool,
  conform,
  contractId,
  type DamlType,
  decimalType,
  enumeration,
  int64,
  list,
  map,
  optional,
  party,
  record,
  text,
  time,
  unit,
} from '../../../src/registry/ledger/daml/type.ts'
import type { DamlValue } from '../../../src/registry/ledger/value.ts'

const scale = 10n ** 10n
const largest = 10n ** 38n - 1n
const scaled = fc.bigInt({ min: -largest, max: largest })
const small = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n })

/** The argument is in units of 10^-10. */
function print(value: bigint): string {
  const digits = (value < 0n ? -value : value).toString().padStart(11, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -10)}.${digits.slice(-10)}`
}

function rounded(dividend: bigint, divisor: bigint, mode: 'up' | 'half even'): bigint {
  const negative = dividend < 0n !== divisor < 0n
  const [n, d] = [dividend < 0n ? -dividend : dividend, divisor < 0n ? -divisor : divisor]
  const [quotient, rest] = [n / d, n % d]
  const away = mode === 'up' ? rest > 0n : 2n * rest > d || (2n * rest === d && quotient % 2n === 1n)
  const result = away ? quotient + 1n : quotient
  return negative ? -result : result
}

describe('decimals', () => {
  test('sums, differences and comparisons are exact', () => {
    const half = scaled.map((value) => value / 2n)
    fc.assert(
      fc.property(half, half, (a, b) => {
        expect(add(print(a), print(b))).toBe(print(a + b))
        expect(subtract(print(a), print(b))).toBe(print(a - b))
        expect(compare(print(a), print(b))).toBe(a < b ? -1 : a > b ? 1 : 0)
        expect(isPositive(print(a))).toBe(a > 0n)
        expect(sum([print(a), print(b), print(-b)])).toBe(print(a))
      }),
    )
  })

  test('products and quotients are rounded half to even, or up where that is asked for', () => {
    fc.assert(
      fc.property(small, small, (a, b) => {
        expect(multiply(print(a), print(b))).toBe(print(rounded(a * b, scale, 'half even')))
        fc.pre(b !== 0n)
        expect(divide(print(a), print(b))).toBe(print(rounded(a * scale, b, 'half even')))
        expect(divideRoundingUp(print(a), print(b))).toBe(print(rounded(a * scale, b, 'up')))
      }),
    )
  })

  test('what is printed is read as itself', () => {
    fc.assert(
      fc.property(scaled, (value) => {
        expect(tryDecimal(print(value))).toBe(print(value))
      }),
    )
  })

  test.each([
    ['1', '1.0000000000'],
    ['1.5', '1.5000000000'],
    ['-0.00', zero],
    ['-0.0000000000', zero],
    ['007', '7.0000000000'],
    ['-0.0000000001', '-0.0000000001'],
    ['9999999999999999999999999999.9999999999', '9999999999999999999999999999.9999999999'],
  ])('%s is %s', (written, value) => expect(tryDecimal(written)).toBe(value))

  test.each([
    ...'.5 1. +1 1e3 0x1 1_000 NaN Infinity 1.00000000000 10000000000000000000000000000 --1'.split(' '),
    '',
    ' 1',
    '1\n',
  ])('%j is no decimal', (written) => {
    expect(tryDecimal(written)).toBeUndefined()
    expect(() => decimal(written)).toThrow('not a Decimal')
  })

  test('a result that no Decimal holds is refused', () => {
    const most = print(largest)
    for (const overflow of [
      () => add(most, '0.0000000001'),
      () => subtract(print(-largest), '0.0000000001'),
      () => multiply(most, decimal('1.1')),
      () => divideRoundingUp(most, decimal('0.5')),
      () => divide(decimal('1'), zero),
      () => divideRoundingUp(decimal('1'), zero),
    ]) {
      expect(overflow).toThrow(Refused)
      expect(overflow).toThrow('Arithmetic error')
    }
  })
})

describe('times', () => {
  test('what is printed is read as itself, with no zeros at its end', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (micros) => {
        const printed = timeOf(micros)
        expect(tryMicros(printed)).toBe(micros)
        expect(printed).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,5}[1-9])?Z$/)
      }),
    )
  })

  test.each([
    ['2026-05-04T09:15:02.104233Z', '2026-05-04T09:15:02.104233Z'],
    ['2026-05-04T09:15:02.500000Z', '2026-05-04T09:15:02.5Z'],
    ['2026-05-04T09:15:02.1042339Z', '2026-05-04T09:15:02.104233Z'],
    ['2026-05-04T09:15Z', '2026-05-04T09:15:00Z'],
    ['2026-05-04T09:15:02+02:00', '2026-05-04T07:15:02Z'],
    ['2026-05-04T09:15:02.25-0130', '2026-05-04T10:45:02.25Z'],
    ['2026-05-04T09:15:02+02', '2026-05-04T07:15:02Z'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
  ])('%s is %s', (written, printed) => expect(timeOf(microsOf(written))).toBe(printed))

  test.each([
    ...`2026-05-04 2026-05-04T09:15:02 2026-02-29T00:00:00Z 2026-04-31T00:00:00Z 2026-13-01T00:00:00Z
  2026-05-04T25:00:00Z 2026-05-04T09:60:00Z 2026-05-04T09:15:02.Z 2300-01-01T00:00:00Z
  1600-01-01T00:00:00Z 1777886102`.split(/\s+/),
    '',
    '2026-05-04 09:15:02Z',
  ])('%j is no time', (written) => {
    expect(tryMicros(written)).toBeUndefined()
    expect(() => microsOf(written)).toThrow('not a Time')
  })

  test('to go on from a moment is exact, or refused', () => {
    expect(later(1, { microseconds: '9007199254740990' })).toBe(Number.MAX_SAFE_INTEGER)
    for (const microseconds of ['9007199254740991', '9223372036854775807', '-9223372036854775808']) {
      expect(() => later(1, { microseconds })).toThrow('out of range')
    }
    expect(() => timeOf(Number.MAX_SAFE_INTEGER + 1)).toThrow(Refused)
  })
})

const cid = `00${'ab'.repeat(32)}ca111220${'cd'.repeat(32)}`
const person = record({ name: text, age: int64, nick: optional(text) })

test.each<[string, DamlType, DamlValue, DamlValue]>([
  ['a decimal with ten places', decimalType, '1.5', '1.5000000000'],
  ['an integer without leading zeros', int64, '+007', '7'],
  ['the least integer', int64, '-9223372036854775808', '-9223372036854775808'],
  ['a time in UTC', time, '2026-05-04T09:15:02.500+02:00', '2026-05-04T07:15:02.5Z'],
  [
    'a record in the order of its declaration',
    person,
    { nick: 'n', age: '3', name: 'x' },
    { name: 'x', age: '3', nick: 'n' },
  ],
  [
    'an optional that is left out as null',
    person,
    { name: 'x', age: '3' },
    { name: 'x', age: '3', nick: null },
  ],
  [
    'a record without the members that a later package added',
    person,
    { name: 'x', age: '3', more: { any: '1' } },
    { name: 'x', age: '3', nick: null },
  ],
  ['a list', list(decimalType), ['1', '2'], ['1.0000000000', '2.0000000000']],
  [
    'a map in the order of its keys, the last of equal ones',
    map(text, int64),
    [
      ['b', '1'],
      ['a', '2'],
      ['b', '3'],
    ],
    [
      ['a', '2'],
      ['b', '3'],
    ],
  ],
  ['an enum', enumeration('A', 'B'), 'B', 'B'],
  ['a contract id', contractId, cid, cid],
  ['a party', party, 'alice::1220ab', 'alice::1220ab'],
  ['a boolean', bool, false, false],
  ['unit, whatever it holds', unit, { x: null }, {}],
])('%s is kept in one form', (_, type, sent, kept) => {
  const conformed = conform(type, sent)
  expect(JSON.stringify(conformed)).toBe(JSON.stringify(kept))
  expect(conform(type, conformed)).toEqual(conformed)
})

test.each<[string, DamlType, unknown, string]>([
  ['a missing field', person, { name: 'x' }, 'Expected int64 at age, found nothing'],
  ['an inherited field', record({ toString: text }), {}, 'Expected text at toString, found nothing'],
  ['a null', person, { name: null, age: '3' }, 'Expected text at name, found null'],
  ['a number', int64, 3, 'Expected int64, found 3'],
  ['a list for a record', person, [], 'Expected an object, found []'],
  ['a record for a list', list(text), {}, 'Expected a list, found {}'],
  ['a text for a boolean', bool, 'true', 'Expected a boolean, found "true"'],
  ['an item', list(person), [{ name: 'x', age: 'y' }], 'Expected int64 at [0].age, found "y"'],
  ['an integer too large', int64, '9223372036854775808', 'Expected int64, found "9223372036854775808"'],
  ['a fraction', int64, '1.0', 'Expected int64, found "1.0"'],
  ['an exponent', decimalType, '1e3', 'Expected decimal, found "1e3"'],
  ['a day', time, '2026-05-04', 'Expected time, found "2026-05-04"'],
  ['a party with a line end', party, 'alice\n', 'Expected party, found "alice\\n"'],
  ['a contract id in capitals', contractId, '00AB', 'Expected contractId, found "00AB"'],
  ['a lone surrogate', text, 'x\ud800', 'Expected text, found "x\\ud800"'],
  ['a zero character', text, 'x\0', 'Expected text, found "x\\u0000"'],
  ['an unknown enum', enumeration('A'), 'B', 'Expected enum, found "B"'],
  ['a half pair', map(text, text), [['a']], 'Expected text at [0], found nothing'],
])('%s is refused with its place', (_, type, sent, message) => {
  expect(() => conform(type, sent as DamlValue)).toThrow(new Refused('INVALID_ARGUMENT', message))
})
