import { getAnsRules, listAnsEntries, lookupAnsEntryByName, lookupAnsEntryByParty } from './ans.ts'
import { getAmuletRules, getDsoPartyId, getSpliceInstanceNames, listDsoScans } from './dso.ts'
import type { Read } from './read.ts'

/** Everything that can be asked. */
export const reads = {
  listAnsEntries,
  lookupAnsEntryByName,
  lookupAnsEntryByParty,
  getAnsRules,
  getDsoPartyId,
  listDsoScans,
  getAmuletRules,
  getSpliceInstanceNames,
} as const satisfies Record<string, Read>

export type ReadId = keyof typeof reads

export const readIds = Object.keys(reads) as readonly ReadId[]
