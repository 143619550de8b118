import { expect, test } from 'vitest'
import { seed } from '../support/seed.ts'
import { killStores } from './store-kills.ts'

test('after each of 15 kills during writes the file has the old content or the new one, whole', async () => {
  const reports = await Promise.all([0, 1, 2].map((lane) => killStores(5, seed + lane)))
  expect(
    reports.flatMap(({ problems }) => problems),
    `SEED=${seed}`,
  ).toEqual([])
  expect(reports.reduce((sum, { duringWrites }) => sum + duringWrites, 0)).toBeGreaterThan(1)
}, 60_000)
