import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shortNames } from '../../src/cli/short-names.ts'
import { columns } from '../../src/cli/table.ts'
import { fitted, widthOf } from '../../src/cli/text-width.ts'

const rows = [
  ['super validator', 'scan', 'reachable', 'release'],
  ['sv-1', 'scan.sv-1.global.canton.network.example.org', 'yes', '0.7.5'],
  [
    'a-super-validator-with-a-long-name',
    'scan.example',
    'NO',
    'unreachable: connect ECONNREFUSED 10.0.0.1:443',
  ],
]

describe('a table', () => {
  test('has columns as wide as their widest entries where no terminal limits it', () => {
    expect(columns(rows)).toEqual([
      'super validator                     scan                                         reachable  release',
      'sv-1                                scan.sv-1.global.canton.network.example.org  yes        0.7.5',
      'a-super-validator-with-a-long-name  scan.example                                 NO         unreachable: connect ECONNREFUSED 10.0.0.1:443',
    ])
  })

  test('fits a terminal: the widest columns are shortened with an ellipsis', () => {
    expect(columns(rows, 60)).toEqual([
      'super validator  scan             reachable  release',
      'sv-1             scan.sv-1.glob…  yes        0.7.5',
      'a-super-valida…  scan.example     NO         unreachable: c…',
    ])
  })

  test('is as it was where it fits the terminal', () => {
    expect(columns(rows, 200)).toEqual(columns(rows))
  })

  test('has one line for each row, also where a cell has line ends', () => {
    expect(columns([['sv-1\nsv-2  yes', 'NO']])).toEqual(['sv-1 sv-2  yes  NO'])
  })

  test('has no line that is wider than the terminal, whatever is in it', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '名', '🇨🇭', 'e\u0301', ' '), maxLength: 40 })
    const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 120 }), (given, width) => {
        for (const line of columns(given, width)) expect(widthOf(line)).toBeLessThanOrEqual(width)
      }),
    )
  })
})

const hosts = [
  'scan.sv-1.global.canton.network.cumberland.example:443',
  'scan.sv-1.global.canton.network.digitalasset.example:443',
  'scan.sv-2.global.canton.network.digitalasset.example:443',
  'scan.sv.global.canton.network.nodeops.example:443',
]

describe('names that do not fit', () => {
  test('lose what they have in common, and the rest of their middle', () => {
    expect(shortNames(hosts.slice(0, 2), 20)).toEqual(['…cumberland…', '…digitalasset…'])
    expect(shortNames(hosts, 20)).toEqual([
      '…-1.globa…umberland…',
      '…-1.globa…italasset…',
      '…-2.globa…italasset…',
      '….global.…k.nodeops…',
    ])
  })

  test('stay as they are where they fit', () => {
    expect(shortNames(['sv-1', 'sv-2'], 4)).toEqual(['sv-1', 'sv-2'])
    expect(shortNames(['a-single-name'], 8)).toEqual(['a-s…name'])
    expect(shortNames([], 8)).toEqual([])
  })

  test('stay different, whatever they are', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '.', '名'), minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 8 }), fc.integer({ min: 0, max: 20 }), (names, width) => {
        expect(new Set(shortNames(names, width)).size).toBe(names.length)
      }),
    )
  })
})

test.each([
  ['', 0],
  ['abc', 3],
  ['名前', 4],
  ['e\u0301', 1],
  ['😀', 2],
])('%j takes %d columns', (text, width) => {
  expect(widthOf(text)).toBe(width)
})

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdef', 5, 'abcd…'],
  ['名前名前', 6, '名前…'],
  ['abc', 1, '…'],
  ['abc', 0, ''],
])('%j in %d columns is %j', (text, width, shown) => {
  expect(fitted(text, width)).toBe(shown)
})
