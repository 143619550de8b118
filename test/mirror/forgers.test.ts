import { expect, test } from 'vitest'
import { seededRandom } from '../../src/base/lib/random.ts'
import { tolerated } from '../../src/base/lib/threshold.ts'
import type { SnapshotContract } from '../../src/core/reads/snapshots.ts'
import { entryIn } from '../../src/mirror/mirrored-contracts.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { isLong } from '../support/seed.ts'
import { digestOfSet, someLedger } from './contracts.ts'
import { drainFrom, untilDeadline } from './drained-network.ts'
import { pick, shuffled } from './random.ts'
import { at, type Behaviour, forgeries, type KnownForms, SnapshotScan } from './snapshot-scan.ts'

const runs = Number(process.env['FORGED_LEDGERS'] ?? (isLong ? 20_000 : 150))

test.each([4, 13])(
  'up to f of %i super validators that forge a snapshot make the daemon take the true set or none',
  async (n) => {
    let taken = 0
    for (let seed = 0; seed < runs; seed++) if (await drainAmongForgers(n, seed)) taken++
    expect(taken).toBeGreaterThan(runs / 2)
  },
  60_000 + 500 * runs,
)

const releases: readonly KnownForms[] = [['v1'], ['v2'], ['v1', 'v2']]

/**
 * Drains a random ledger from scans of different releases. Up to f of the scans forge the snapshot, each in its own way or all in the same way. Some
 * other scans may have no snapshot yet.
 * @returns whether the drain agreed on a set of names. The function checks that the set is the true set.
 */
async function drainAmongForgers(n: number, seed: number): Promise<boolean> {
  const random = seededRandom(seed)
  const ledger = someLedger(random, 10)
  const f = tolerated(n)
  const forgers = Math.floor(random() * (f + 1))
  const absent = random() < 0.3 ? Math.floor(random() * (n - forgers + 1)) : 0
  const together = random() < 0.5 ? pick(random, forgeries) : undefined
  const lie = Math.floor(random() * 1e6)
  const scans = Array.from({ length: n }, (_, index) => {
    if (index >= forgers) return scan(index < forgers + absent ? 'has no snapshot yet' : 'honest')
    return together === undefined
      ? scan(pick(random, forgeries))
      : new SnapshotScan(together, ledger, seededRandom(lie))
  })
  function scan(behaviour: Behaviour): SnapshotScan {
    const made = new SnapshotScan(behaviour, ledger, seededRandom(Math.floor(random() * 1e9)))
    made.forms = pick(random, releases)
    return made
  }
  const order = shuffled(random, scans)
  // A scan of `hanging` leaves its requests unanswered from some request on.
  const hanging = new Map<SnapshotScan, number>()
  if (random() < 0.02) for (const each of scans.slice(0, forgers)) hanging.set(each, Math.floor(random() * 5))
  const clock = new ManualClock(at + 120_000)
  const draining = drainFrom(order, {
    seed,
    clock,
    stuck: (index) => {
      const scan = order[index] as SnapshotScan
      return scan.asked >= (hanging.get(scan) ?? Number.POSITIVE_INFINITY)
    },
    drain: {
      pageSize: 1 + Math.floor(random() * 8),
      fanout: pick(random, ['economical', 'quorum', 'all']),
      patient: random() < 0.2,
    },
  })
  const outcome = await (hanging.size > 0 ? untilDeadline(clock, draining) : draining)
  const honest = n - forgers - absent
  if (outcome.kind !== 'agreed') {
    expect(honest, `seed ${seed}: ${JSON.stringify(outcome)}`).toBeLessThan(f + 1)
    return false
  }
  expect(outcome.set.digest, `seed ${seed}`).toBe(digestOfSet(ledger))
  expect(sorted(outcome.set.entries), `seed ${seed}`).toEqual(sorted(entriesIn(ledger)))
  return true
}

function entriesIn(ledger: readonly SnapshotContract[]) {
  return ledger.flatMap((contract) => entryIn(contract) ?? [])
}

function sorted<Entry extends { readonly contract_id: string }>(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted((a, b) => (a.contract_id < b.contract_id ? -1 : 1))
}
