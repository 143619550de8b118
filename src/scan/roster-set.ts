import { isJsonObject } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import type { AmuletRules, DsoScans } from '../reads/dso.ts'
import { longestUrl } from './origin.ts'
import type { Member, RosterSet } from './roster.ts'

const mostMembers = 256
/** The most URLs of one super validator that are read, of those that sort first. */
const mostUrls = 16
/** Each response names those who agreed in one header. */
const longestName = 100

/** @param values the DSO, the rules and the scans of one node, as their reads print them. */
export function rosterSetIn([dso, rules, scans]: readonly unknown[]): RosterSet | string {
  const { dso_party_id: party } = dso as { readonly dso_party_id: string }
  return rosterSetOf(party, rules as AmuletRules, scans as DsoScans)
}

/**
 * Combines a node's replies to the three requests into a roster. If they do not fit together,
 * returns a sentence that says why.
 */
export function rosterSetOf(dso: string, rules: AmuletRules, { scans }: DsoScans): RosterSet | string {
  const synchronizer = activeSynchronizer(rules)
  if (synchronizer === undefined) return 'its rules name no active synchronizer'
  const published = scans.find(({ domainId }) => domainId === synchronizer)?.scans
  if (published === undefined) return 'it lists no scans of the synchronizer that its rules name'
  const byName = Map.groupBy(published, ({ svName }) => boundedName(svName))
  if (byName.size === 0) return 'its list of scans is empty'
  if (byName.size > mostMembers) return `it lists ${byName.size} super validators, more than ${mostMembers}`
  if (byName.has('')) return 'it lists a super validator without a name'
  const members = [...byName].map(
    ([name, entries]): Member => ({
      name,
      urls: [...new Set(entries.map(({ publicUrl }) => publicUrl))]
        .filter(({ length }) => length <= longestUrl)
        .sort()
        .slice(0, mostUrls),
    }),
  )
  return { dso, synchronizer, members: members.sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

function boundedName(name: string): string {
  return name.length <= longestName ? name : `${name.slice(0, longestName).toWellFormed()}...${digest(name)}`
}

/**
 * Finds the active synchronizer in the network's rules: in their first configuration
 * (`initialValue` of AmuletConfigSchedule), or else in `domain_id`. Later configurations
 * (`futureValues`) do not matter, because no network uses them.
 */
export function activeSynchronizer({
  amulet_rules_update: { contract, domain_id },
}: AmuletRules): string | undefined {
  let at: unknown = contract.payload
  for (const key of ['configSchedule', 'initialValue', 'decentralizedSynchronizer', 'activeSynchronizer']) {
    at = isJsonObject(at) ? at[key] : undefined
  }
  return typeof at === 'string' ? at : (domain_id ?? undefined)
}
