import { expect, test } from 'vitest'
import { isLong, seed } from '../../support/seed.ts'
import { besiege } from './siege.ts'

const visits = Number(process.env['VISITS'] ?? (isLong ? 20_000 : 200))
const mebibyte = 2 ** 20
/** In `npm test`, other tests run beside this one. */
const bounds = isLong ? { blockedMs: 50, rss: 640 * mebibyte } : { blockedMs: 250, rss: 768 * mebibyte }

test('no caller gets more from a daemon than an answer: no fault, no standstill, no memory', {
  timeout: isLong ? 6 * 3_600_000 : 120_000,
}, async ({ annotate }) => {
  const { byStatus, ...siege } = await besiege({ seed: isLong ? seed : 20_260, visits, bounds })
  await annotate(JSON.stringify({ seed, ...siege, byStatus: Object.fromEntries(byStatus) }))
  expect(siege.visits).toBeGreaterThanOrEqual(visits)
  expect(siege.answers).toBeGreaterThan((3 * visits) / 4)
})
