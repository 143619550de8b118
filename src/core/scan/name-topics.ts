import { topic } from '../cache/key.ts'
import { listAnsEntries, lookupAnsEntryByName, lookupAnsEntryByParty } from '../reads/ans.ts'

export interface ForgottenName {
  readonly name: string
  /** The party that owns the name. If undefined, lookups by any party may depend on the name. */
  readonly user?: string | undefined
}

/**
 * Returns the topics of all cached answers that depend on these names. A topic names the answers
 * that are invalidated together.
 */
export function topicsOfNames(names: readonly ForgottenName[]): readonly string[] {
  const topics = names.flatMap(({ name, user }) => [
    topic(listAnsEntries.id),
    topic(lookupAnsEntryByName.id, { name }),
    topic(lookupAnsEntryByParty.id, user === undefined ? {} : { party: user }),
  ])
  return [...new Set(topics)]
}
