import { canonicalJson, isJsonObject } from '../../base/lib/canonical-json.ts'
import { digest } from '../../base/lib/digest.ts'
import { tolerated } from '../../base/lib/threshold.ts'
import { type AmuletRules, type DsoScans, getAmuletRules, getDsoPartyId, listDsoScans } from '../reads/dso.ts'
import { longestUrl, placeOf } from './origin.ts'

export interface Member {
  readonly name: string
  /**
   * The URLs that the super validator published. The daemon asks only one of them
   * (`RosterVoter.place`). The list may contain no URL that can be asked.
   */
  readonly urls: readonly string[]
}

/**
 * The super validators, as one scan lists them. The seeds, and later the members, must agree on
 * it.
 */
export interface Membership {
  /** The DSO's party id. Empty if the seeds are the members and no DSO is configured. */
  readonly dso: string
  readonly synchronizer: string
  /** In an agreed membership, the members are sorted by name, without duplicates. */
  readonly members: readonly Member[]
}

const mostMembers = 256
/** The most URLs of one super validator that are read, of those that sort first. */
const mostUrls = 16
/** Each response names those who agreed in one header. */
const longestName = 100

/** The reads whose values, in this order, make a membership. */
export const membershipReads = [getDsoPartyId, getAmuletRules, listDsoScans] as const

/**
 * Combines the values that one scan gave for `membershipReads`. If they do not fit together,
 * returns a sentence that says why.
 */
export function membershipOf([dso, rules, list]: readonly unknown[]): Membership | string {
  const synchronizer = activeSynchronizer(rules as AmuletRules)
  if (synchronizer === undefined) return 'its rules name no active synchronizer'
  const published = (list as DsoScans).scans.find(({ domainId }) => domainId === synchronizer)?.scans
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
  const { dso_party_id: party } = dso as { readonly dso_party_id: string }
  return { dso: party, synchronizer, members: members.sort((a, b) => (a.name < b.name ? -1 : 1)) }
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

/**
 * Makes each seed a member. Its name is the seed's `host:port`, or its URL if the daemon cannot use
 * the URL.
 */
export function membershipOfSeeds(seeds: readonly string[], dso = ''): Membership {
  const members = seeds.map((seed) => ({ name: placeOf(seed)?.host ?? seed, urls: [seed] }))
  return { dso, synchronizer: '', members }
}

/**
 * Returns the canonical JSON of a membership, which is the vote in a poll: two memberships have the
 * same canonical JSON only if they are equal.
 */
export function canonicalOf({ dso, synchronizer, members }: Membership): string {
  return canonicalJson({ dso, synchronizer, members: members.map(({ name, urls }) => [name, [...urls]]) })
}

/**
 * Whether a new membership differs drastically from the current one (quorum.md#refreshes). The
 * daemon then adopts it only if two refreshes in a row return it.
 */
export function isDrastic(current: Membership, next: Membership): boolean {
  const n = current.members.length
  const names = new Set(next.members.map((member) => member.name))
  const shared = current.members.filter((member) => names.has(member.name)).length
  return tolerated(next.members.length) < tolerated(n) || shared < n - tolerated(n)
}
