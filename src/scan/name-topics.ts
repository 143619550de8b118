import { topic } from '../cache/key.ts'
import { listAnsEntries, lookupAnsEntryByName, lookupAnsEntryByParty } from '../reads/ans.ts'

/**
 * Returns the topics of all cached answers that depend on a name. A topic names the answers that
 * are invalidated together.
 * @param owner the party that owns the name. If undefined, the result contains the topic of all
 * lookups by party, whatever the party.
 */
export function topicsOfName(name: string, owner: string | undefined): readonly string[] {
  return [
    topic(listAnsEntries.id),
    topic(lookupAnsEntryByName.id, { name }),
    topic(lookupAnsEntryByParty.id, owner === undefined ? {} : { party: owner }),
  ]
}

export function topicsOfNames(
  names: readonly { readonly name: string; readonly user: string | undefined }[],
): readonly string[] {
  return [...new Set(names.flatMap(({ name, user }) => topicsOfName(name, user)))]
}
