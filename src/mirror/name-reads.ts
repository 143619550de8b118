import { listAnsEntries, lookupAnsEntryByName, lookupAnsEntryByParty } from '../reads/ans.ts'

/** The mirror answers these reads. At level `bindings`, it answers only the lookup by name. */
export const nameReads: readonly string[] = [lookupAnsEntryByName, lookupAnsEntryByParty, listAnsEntries].map(
  ({ id }) => id,
)
