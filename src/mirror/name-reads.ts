import { listAnsEntries, lookupAnsEntryByName, lookupAnsEntryByParty } from '../reads/ans.ts'

/** The ids of the reads that the mirror answers. At level `bindings`, it answers only the lookup by name. */
export const nameReads: readonly string[] = [lookupAnsEntryByName, lookupAnsEntryByParty, listAnsEntries].map(
  ({ id }) => id,
)
