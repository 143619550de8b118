import { topic } from '../cache/key.ts'
import { listAnsEntries, lookupAnsEntryByName, lookupAnsEntryByParty } from '../reads/ans.ts'

/**
 * The topics of the cached answers that contain a name.
 * @param owner its party. If undefined, the lookups of all parties are among the topics.
 */
export function topicsOfName(name: string, owner: string | undefined): readonly string[] {
  return [
    topic(listAnsEntries.id),
    topic(lookupAnsEntryByName.id, { name }),
    topic(lookupAnsEntryByParty.id, owner === undefined ? {} : { party: owner }),
  ]
}
