import { expect } from 'vitest'
import { seed } from '../support/seed.ts'
import { type CrashOptions, crashLoop } from './crash-loop.ts'

export async function expectCrashLoop(options: Omit<CrashOptions, 'seed'>): Promise<string> {
  const { problems, registered, ...figures } = await crashLoop({ ...options, seed })
  expect(problems, `SEED=${seed}`).toEqual([])
  expect(registered).toBe(options.registrations)
  expect(figures.killsWhileServing).toBeGreaterThan(0)
  return JSON.stringify({ seed, registered, ...figures })
}
