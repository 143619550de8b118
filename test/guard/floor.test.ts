import { describe, expect, test } from 'vitest'
import { type Floor, floorOf, higher, isBelow, type Sighting } from '../../src/core/guard/floors.ts'

const minute = 60_000
const now = Date.UTC(2026, 0, 1)
const value = (version: string | undefined, endsAt?: number): Sighting => ({ kind: 'value', version, endsAt })
const floor = (version: string, endsAt?: number): Floor => ({ version, endsAt })
const gone = (after: 'newer' | 'older'): Sighting => ({ kind: 'absence', after })

describe('an answer is below its floor', () => {
  test.each<[string, Sighting, Floor | undefined, boolean]>([
    ['never where there is no floor', value('1'), undefined, false],
    ['if its version is smaller', value('1'), floor('2'), true],
    ['not if its version is the same', value('2'), floor('2'), false],
    ['not if its version is larger', value('3'), floor('2'), false],
    ['not if it does not say how old it is', value(undefined), floor('2'), false],
    ['if it is an absence that cannot be true yet', gone('older'), floor('2', now + 2 * minute), true],
    ['not if an absence may be newer', gone('newer'), floor('2'), false],
    ['not in the last minute of the floor', gone('older'), floor('2', now + minute), false],
    ['not after the end of the floor', value('1'), floor('2', now - minute), false],
  ])('%s', (_, sighting, under, expected) => {
    expect(isBelow(sighting, under, now)).toBe(expected)
  })
})

describe('a floor', () => {
  test('is made by a value with a version, and by nothing else', () => {
    expect(floorOf(value('1', 5))).toEqual({ version: '1', endsAt: 5 })
    expect(floorOf(value(undefined))).toBeUndefined()
    expect(floorOf(gone('older'))).toBeUndefined()
  })

  test.each<[string, Floor | undefined, Floor, Floor]>([
    ['is the first one', undefined, floor('1'), floor('1')],
    ['rises', floor('1'), floor('2'), floor('2')],
    ['does not fall', floor('2'), floor('1'), floor('2')],
    [
      'takes the end of the latest value of one version',
      floor('2', now + 9 * minute),
      floor('2'),
      floor('2'),
    ],
    ['gives way once it has ended', floor('2', now), floor('1'), floor('1')],
  ])('%s', (_, former, later, expected) => {
    expect(higher(former, later, now)).toEqual(expected)
  })
})
