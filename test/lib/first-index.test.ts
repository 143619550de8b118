import { expect, test } from 'vitest'
import { firstIndex } from '../../src/base/lib/first-index.ts'

test('the first index that is far enough is found in lists of every length, and the length if none is', () => {
  for (let length = 0; length <= 20; length++)
    for (let first = 0; first <= length; first++)
      expect(firstIndex(length, (index) => index >= first)).toBe(first)
})
