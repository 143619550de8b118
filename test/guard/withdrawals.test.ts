import { expect, test } from 'vitest'
import type { Sighting } from '../../src/core/guard/floors.ts'
import { Withdrawals, withdrawalMs } from '../../src/core/guard/rollback-guard.ts'

const absence: Sighting = { kind: 'absence', after: 'older' }
const value = (version: string): Sighting => ({ kind: 'value', version, endsAt: undefined })

test('a floor ends when the same is said again ten seconds later, and not before', () => {
  const withdrawals = new Withdrawals()
  expect(withdrawals.reportBelowFloor('a', absence, 0)).toBe(false)
  expect(withdrawals.reportBelowFloor('a', absence, withdrawalMs - 1)).toBe(false)
  expect(withdrawals.reportBelowFloor('b', absence, withdrawalMs)).toBe(false)
  expect(withdrawals.reportBelowFloor('a', absence, withdrawalMs)).toBe(true)
})

test('an answer that reaches the floor in between restarts the ten seconds', () => {
  const withdrawals = new Withdrawals()
  withdrawals.reportBelowFloor('a', absence, 0)
  withdrawals.forgetReport('a')
  expect(withdrawals.reportBelowFloor('a', absence, withdrawalMs)).toBe(false)
  expect(withdrawals.reportBelowFloor('a', absence, 2 * withdrawalMs)).toBe(true)
})

test('an answer that is still older than the first one restarts the ten seconds', () => {
  const withdrawals = new Withdrawals()
  withdrawals.reportBelowFloor('a', value('2'), 0)
  expect(withdrawals.reportBelowFloor('a', value('1'), withdrawalMs)).toBe(false)
  expect(withdrawals.reportBelowFloor('a', value('1'), 2 * withdrawalMs - 1)).toBe(false)
  expect(withdrawals.reportBelowFloor('a', value('2'), 2 * withdrawalMs)).toBe(true)
})
