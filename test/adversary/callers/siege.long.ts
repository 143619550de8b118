import { test } from 'vitest'
import { seed } from '../../support/seed.ts'
import { besiege } from './siege.ts'

const { VISITS = '20000' } = process.env

test(
  `no caller holds a daemon for longer than 50 ms, whoever calls (seed ${seed}, ${VISITS} visits)`,
  async () => {
    const { byStatus, ...siege } = await besiege({
      seed,
      visits: Number(VISITS),
      bounds: { blockedMs: 50, rss: 640 * 2 ** 20 },
    })
    const report = { seed, ...siege, byStatus: Object.fromEntries([...byStatus].sort(([a], [b]) => a - b)) }
    process.stdout.write(`${JSON.stringify(report)}\n`)
  },
  6 * 3_600_000,
)
