import { expect, test } from 'vitest'
import { seededRandom } from '../../src/lib/random.ts'
import { configOf, remote } from '../config/config.ts'
import { isLong } from '../support/seed.ts'
import { ansEntry, rulesOf } from './contracts.ts'
import { drainFrom } from './drained-network.ts'
import { mirrored, take } from './mirrored.ts'
import { SnapshotScan } from './snapshot-scan.ts'

const { maxEntries } = configOf(remote).mirror

function drained(names: number) {
  const entries = Array.from({ length: names }, (_, index) => ansEntry(`name-${index}.unverified.cns`))
  const ledger = [...entries, ...rulesOf()]
  const scans = [1, 2, 3, 4].map((seed) => new SnapshotScan('honest', ledger, seededRandom(seed)))
  return drainFrom(scans, { drain: { maxEntries, pageSize: 1_000 } })
}

test.runIf(isLong)('a snapshot of 200,001 names is not taken, and one of 200,000 is', async () => {
  expect(maxEntries).toBe(200_000)
  expect(await drained(maxEntries + 1)).toMatchObject({ kind: 'too-many-entries' })
  const outcome = await drained(maxEntries)
  if (outcome.kind !== 'agreed') throw new Error(outcome.kind)
  const { mirror } = mirrored({ maxEntries })
  expect(take(mirror, outcome.set)).toBe('taken')
  expect(mirror.taken?.names.index.size).toBe(maxEntries)
  const { entries } = outcome.set
  const [first] = entries
  expect(take(mirror, { ...outcome.set, entries: first === undefined ? [] : [...entries, first] })).toBe(
    'too-many-entries',
  )
})
