import { type Cost, measureSize } from '../ledger-size.ts'
import { type Bench, measuredOnce, type Outcome } from '../row.ts'

const sizes = measuredOnce(measureSize)

/**
 * Compares lookups and memory of a ledger with 1,000,000 entries with those of a ledger with 1,000. The figure is the
 * worst ratio.
 */
export async function largeLedgerAgainstSmall(bench: Bench): Promise<Outcome> {
  const { lookups, rssMb } = await sizes(bench)
  const costs: Readonly<Record<string, Cost>> = {
    byName: lookups.name,
    byParty: lookups.party,
    byPrefix: lookups.prefix,
    rss: rssMb,
  }
  const ratios = Object.entries(costs).map(([name, { ratio }]) => [`${name}Ratio`, ratio] as const)
  return {
    kind: 'measured',
    figure: Math.max(...ratios.map(([, ratio]) => ratio)),
    detail: {
      ...Object.fromEntries(ratios),
      largeRssMb: rssMb.large,
      largeByNameUs: lookups.name.large,
    },
  }
}

/**
 * Measures the milliseconds from the start of a ledger with 1,000,000 entries, which checks all of them, to its first
 * answer.
 */
export async function startOfLargeLedger(bench: Bench): Promise<Outcome> {
  const { startMs } = await sizes(bench)
  return { kind: 'measured', figure: startMs.large, detail: { smallMs: startMs.small } }
}
