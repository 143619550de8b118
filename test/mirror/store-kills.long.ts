import { expect, test } from 'vitest'
import { seed } from '../support/seed.ts'
import { killStores } from './store-kills.ts'

test('after each of 1,000 kills at random moments the file has the old content or the new one, whole', async ({
  annotate,
}) => {
  const finished = await Promise.all([0, 1, 2, 3].map((lane) => killStores(250, seed + lane)))
  expect(Math.max(...finished)).toBeGreaterThan(0)
  await annotate(JSON.stringify({ seed, finished }))
}, 900_000)
