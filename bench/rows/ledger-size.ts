import { type Cost, measureSize } from '../ledger-size.ts'
import type { Outcome } from '../row.ts'

/** What lookups, memory and a start cost with 1,000,000 entries, against 1,000: the worst of the ratios. */
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
