import { describe, expect, test } from 'vitest'
import { SpliceError } from '../../src/errors/splice.ts'
import type { Param } from '../../src/reads/endpoint.ts'
import { integerIn, nameParam, pageSizeParam, partyParam, timeInQuery } from '../../src/reads/params.ts'

function refusal(param: Param, text: string): { status: number; message: string } | string {
  try {
    return param.parse(text)
  } catch (error) {
    if (!(error instanceof SpliceError)) throw error
    return { status: error.status, message: error.message }
  }
}

const fingerprint = `1220${'0'.repeat(64)}`

describe('a party id is refused in Splice words before anything is asked', () => {
  test.each([
    ['', 'Empty string is not a valid unique identifier.'],
    ['alice', 'Invalid unique identifier `alice` with missing namespace.'],
    [`::${fingerprint}`, `Invalid unique identifier \`::${fingerprint}\` with empty identifier.`],
    ['alice::', 'Fingerprint decoding of `alice::` failed with: Daml-LF Party is empty'],
    [
      'al/ce::12',
      'Identifier decoding of `al/ce::12` failed with: non expected character 0x2f in Daml-LF Party',
    ],
    ['a::b::c', 'Fingerprint decoding of `a::b::c` failed with: String contains reserved delimiter `::`.'],
  ])('%j', (party, message) => {
    expect(refusal(partyParam, party)).toEqual({ status: 400, message })
  })

  test('one that is too long', () => {
    expect(refusal(partyParam, `${'a'.repeat(186)}::12`)).toMatchObject({ status: 400 })
    expect(refusal(partyParam, `a::${'1'.repeat(69)}`)).toMatchObject({ status: 400 })
  })

  test('a good one is taken as it is', () => {
    expect(refusal(partyParam, `alice-1_x: y::${fingerprint}`)).toBe(`alice-1_x: y::${fingerprint}`)
  })
})

describe('page_size is 1 to 1000', () => {
  test.each([
    ['0', 'Limit must be at least 1.'],
    ['-5', 'Limit must be at least 1.'],
    ['1001', 'Exceeded limit maximum (1001 > 1000).'],
    [
      'ten',
      "The query parameter 'page_size' was malformed:\n'ten' is not a valid 32-bit signed integer value",
    ],
    [
      '1.0',
      "The query parameter 'page_size' was malformed:\n'1.0' is not a valid 32-bit signed integer value",
    ],
    [
      '99999999999',
      "The query parameter 'page_size' was malformed:\n'99999999999' is not a valid 32-bit signed integer value",
    ],
  ])('%j is refused', (text, message) => {
    expect(refusal(pageSizeParam, text)).toEqual({ status: 400, message })
  })

  test('equal sizes have one form', () => {
    expect(refusal(pageSizeParam, '+0010')).toBe('10')
    expect(refusal(pageSizeParam, '1000')).toBe('1000')
  })
})

describe('a name', () => {
  test('longer than a scan accepts is refused', () => {
    expect(refusal(nameParam, 'a'.repeat(2066))).toBe('a'.repeat(2066))
    expect(refusal(nameParam, 'a'.repeat(2067))).toMatchObject({ status: 400 })
  })

  test('with a NUL character or a lone surrogate is refused', () => {
    expect(refusal(nameParam, 'a\0b')).toMatchObject({ status: 400 })
    expect(refusal(nameParam, 'a\ud800b')).toMatchObject({ status: 400 })
  })
})

describe('a time', () => {
  const time = timeInQuery('before')
  test.each([
    ['2026-03-01T12:00:00Z', '2026-03-01T12:00:00Z'],
    ['2026-03-01T12:00Z', '2026-03-01T12:00:00Z'],
    ['2026-03-01T12:00:00.500000Z', '2026-03-01T12:00:00.5Z'],
    ['2026-03-01T13:00:00.123456789+01:00', '2026-03-01T12:00:00.123456789Z'],
    ['2026-02-28T23:30:00-12:30', '2026-03-01T12:00:00Z'],
  ])('%s is one instant in UTC', (text, canonical) => {
    expect(refusal(time, text)).toBe(canonical)
  })

  test.each([
    '',
    'now',
    '2026-03-01',
    '2026-03-01T12:00:00',
    '2026-13-01T12:00:00Z',
    '2026-03-01T12:00:00.1234567890Z',
  ])('%j is refused', (text) => {
    expect(refusal(time, text)).toMatchObject({ status: 400 })
  })
})

describe('an integer of 64 bits', () => {
  const nonce = integerIn('nonce', 'query')
  test('has one form', () => {
    expect(refusal(nonce, '+007')).toBe('7')
    expect(refusal(nonce, '-9223372036854775808')).toBe('-9223372036854775808')
  })

  test.each(['', '1.0', '9223372036854775808', '1e3', 'x'])('%j is refused', (text) => {
    expect(refusal(nonce, text)).toMatchObject({ status: 400 })
  })
})
