import { expect, test, vi } from 'vitest'
import { type Duration, milliseconds, systemClock, tryMilliseconds } from '../../src/base/lib/clock.ts'

test.each([
  ['0ms', 0],
  ['250ms', 250],
  ['1.5s', 1_500],
  ['10m', 600_000],
  ['2h', 7_200_000],
  ['7d', 604_800_000],
])('%s is %i milliseconds', (text, ms) => {
  expect(tryMilliseconds(text)).toBe(ms)
  expect(milliseconds(text as Duration)).toBe(ms)
})

test.each(['', '5', 's', '5 s', '-5s', '1e3s', '5S', '5min', '.5s', '5s '])('%j is no duration', (text) => {
  expect(tryMilliseconds(text)).toBeUndefined()
  expect(() => milliseconds(text as Duration)).toThrow(TypeError)
})

test('the system clock goes forward, and its wall is the time of day', async () => {
  const before = systemClock.now()
  await new Promise<void>((resolve) => systemClock.after(1, resolve))
  expect(systemClock.now()).toBeGreaterThan(before)
  expect(Math.abs(systemClock.wall() - Date.now())).toBeLessThan(1_000)
})

test('a cancelled timer does not run', async () => {
  const ran: string[] = []
  await new Promise<void>((resolve) => {
    const cancel = systemClock.after(1, () => ran.push('cancelled'))
    systemClock.after(1, () => ran.push('kept'))
    systemClock.after(2, resolve)
    cancel()
  })
  expect(ran).toEqual(['kept'])
})

test('a timer runs after its delay, also where the delay is longer than JavaScript permits', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const ran: string[] = []
    const days = (count: number) => count * milliseconds('1d')
    systemClock.after(days(60), () => ran.push('late'))
    const cancel = systemClock.after(days(60), () => ran.push('cancelled'))
    vi.advanceTimersByTime(days(59))
    expect(ran).toEqual([])
    cancel()
    vi.advanceTimersByTime(days(1))
    expect(ran).toEqual(['late'])
  } finally {
    vi.useRealTimers()
  }
})
