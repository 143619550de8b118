import { describe, expect, test } from 'vitest'
import type { Param } from '../../src/core/reads/endpoint.ts'
import { integerIn, pageSizeParam, timeIn } from '../../src/core/reads/params.ts'

const time = timeIn('before', 'query')
const nonce = integerIn('nonce', 'query')

describe('a parameter', () => {
  test.each<[text: string, param: Param, canonical: string]>([
    ['+0010', pageSizeParam, '10'],
    ['2026-03-01T13:00:00.500000+01:00', time, '2026-03-01T12:00:00.5Z'],
    ['2026-03-01T12:00Z', time, '2026-03-01T12:00:00Z'],
    ['2026-03-01T13:00:00.123456789+01:00', time, '2026-03-01T12:00:00.123456789Z'],
    ['2026-02-28T23:30:00-12:30', time, '2026-03-01T12:00:00Z'],
    ['+007', nonce, '7'],
    ['-9223372036854775808', nonce, '-9223372036854775808'],
  ])('%s has one form', (text, param, canonical) => {
    expect(param.parse(text)).toBe(canonical)
  })

  test.each<[text: string, param: Param]>([
    ...[
      '',
      'now',
      '2026-03-01',
      '2026-03-01T12:00:00',
      '2026-13-01T12:00:00Z',
      '2026-03-01T12:00:00.1234567890Z',
    ].map((text): [string, Param] => [text, time]),
    ...['', '1.0', '9223372036854775808', '1e3'].map((text): [string, Param] => [text, nonce]),
  ])('%j is refused', (text, param) => {
    expect(() => param.parse(text)).toThrow(expect.objectContaining({ status: 400 }))
  })
})
