import { test } from 'vitest'
import { besiege } from './siege.ts'

/** `SEED` repeats a run, and `VISITS` makes it longer. */
const { SEED, VISITS = '20000' } = process.env
const seed = Number(SEED ?? crypto.getRandomValues(new Int32Array(1))[0])

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
