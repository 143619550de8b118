import { type Cost, measureSize } from '../ledger-size.ts'
import type { Outcome } from '../row.ts'

/**
 * Compares lookups, memory and the start of a ledger with 1,000,000 entries to those with 1,000. The figure
 * is the worst ratio.
 */
export async function largeLedgerAgainstSmall(): Promise<Outcome> {
  const { lookups, startMs, rssMb } = await measureSize()
  const costs: Readonly<Record<string, Cost>> = {
    byName: lookups.name,
    byParty: lookups.party,
    byPrefix: lookups.prefix,
    start: startMs,
    rss: rssMb,
  }
  const ratios = Object.entries(costs).map(([name, { ratio }]) => [`${name}Ratio`, ratio] as const)
  return {
    kind: 'measured',
    figure: Math.max(...ratios.map(([, ratio]) => ratio)),
    detail: {
      ...Object.fromEntries(ratios),
      largeStartMs: startMs.large,
      largeRssMb: rssMb.large,
      largeByNameUs: lookups.name.large,
    },
  }
}
