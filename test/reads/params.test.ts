import { describe, expect, test } from 'vitest'
import { SpliceError } from '../../src/errors/splice.ts'
import { nameParam, pageSizeParam, partyParam } from '../../src/reads/params.ts'
import type { Param } from '../../src/reads/read.ts'

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
