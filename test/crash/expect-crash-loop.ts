import { expect } from 'vitest'
import { type CrashOptions, crashLoop } from './crash-loop.ts'

/** `CRASH_SEED` repeats a run. */
export async function expectCrashLoop(options: Omit<CrashOptions, 'seed'>): Promise<string> {
  const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  const { problems, registered, ...figures } = await crashLoop({ ...options, seed })
  expect(problems, `CRASH_SEED=${seed}`).toEqual([])
  expect(registered).toBe(options.registrations)
  expect(figures.killsWhileServing).toBeGreaterThan(0)
  return JSON.stringify({ seed, registered, ...figures })
}
