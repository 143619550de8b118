import { expect, test } from 'vitest'
import { besiege } from './siege.ts'

test('no caller gets more from a daemon than an answer: no fault, no standstill, no memory', async () => {
  const bounds = { blockedMs: 250, rss: 768 * 2 ** 20 }
  const siege = await besiege({ seed: 20_260, visits: 400, bounds })
  expect(siege.visits).toBeGreaterThanOrEqual(400)
  expect(siege.answers).toBeGreaterThan(300)
}, 120_000)
