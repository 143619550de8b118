/** The reads that options can be set for one by one. */
export const readIds = [
  'listAnsEntries',
  'lookupAnsEntryByName',
  'lookupAnsEntryByParty',
  'getAnsRules',
  'getDsoPartyId',
  'listDsoScans',
  'getAmuletRules',
  'getSpliceInstanceNames',
] as const

export type ReadId = (typeof readIds)[number]
