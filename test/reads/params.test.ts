import { describe, expect, test } from 'vitest'
import { SpliceError } from '../../src/base/errors/splice.ts'
import type { Param } from '../../src/core/reads/endpoint.ts'
import { integerIn, pageSizeParam, timeIn } from '../../src/core/reads/params.ts'

function refusal(param: Param, text: string): { status: number; message: string } | string {
  try {
    return param.parse(text)
  } catch (error) {
    if (!(error instanceof SpliceError)) throw error
    return { status: error.status, message: error.message }
  }
}

describe('page_size is 1 to 1000', () => {
  test('equal sizes have one form', () => {
    expect(refusal(pageSizeParam, '+0010')).toBe('10')
    expect(refusal(pageSizeParam, '1000')).toBe('1000')
  })
})

describe('a time', () => {
  const time = timeIn('before', 'query')
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
