import { expect, test } from 'vitest'
import { Cordon } from '../../src/scan/connections.ts'

test('a cordon holds a voter if it holds one of its super validators, because they share one scan', () => {
  let changes = 0
  const cordon = new Cordon(() => changes++)
  const voter = { names: ['sv-1', 'sv-2'] }
  expect(cordon.holds(voter)).toBe(false)
  cordon.add('sv-2')
  cordon.add('sv-9')
  expect([cordon.holds(voter), cordon.names]).toEqual([true, ['sv-2', 'sv-9']])
  cordon.remove('sv-2')
  expect([cordon.holds(voter), cordon.names, changes]).toEqual([false, ['sv-9'], 3])
})
