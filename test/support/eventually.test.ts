import { expect, test } from 'vitest'
import { eventually, soonerThan } from './eventually.ts'

test('a wait that fails shows the condition', async () => {
  const isOpen = false
  await expect(eventually(() => isOpen, { limitMs: 20 })).rejects.toThrow(
    'After 20 ms this still does not hold: () => isOpen',
  )
})

test('a wait ends as soon as its condition holds', async () => {
  let looks = 0
  await eventually(() => ++looks === 30)
  expect(looks).toBe(30)
})

test('a promise that takes longer than a timer from the same moment is too late', async () => {
  const never = new Promise<void>(() => {})
  await expect(soonerThan(1, never)).rejects.toThrow('A timer of 1 ms ended first.')
  expect(await soonerThan(60_000, Promise.resolve('soon'))).toBe('soon')
})
