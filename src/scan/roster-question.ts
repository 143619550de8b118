import { isJsonObject } from '../lib/canonical-json.ts'
import type { Reply } from '../quorum/reply.ts'
import { type AmuletRules, type DsoScans, getAmuletRules, getDsoPartyId, listDsoScans } from '../reads/dso.ts'
import type { Read } from '../reads/read.ts'
import { Ballots } from './ballots.ts'
import type { Connection } from './connections.ts'
import { type InquiryOptions, requestOf } from './inquiry.ts'
import type { Member, RosterSet } from './roster.ts'

/** What one node says the roster is, or why it says nothing. */
export type RosterReply =
  | { readonly kind: 'set'; readonly set: RosterSet }
  | { readonly kind: 'silent'; readonly reply: Extract<Reply, { kind: 'abstention' | 'fault' }> }

/** A list longer than this is no list of super validators. */
const mostMembers = 256

/**
 * Asks one node who the super validators are: the DSO, the active synchronizer, and the scans published for it.
 * Rejects only when `signal` aborts.
 */
export async function askForRoster(
  connection: Connection,
  options: InquiryOptions,
  signal: AbortSignal,
): Promise<RosterReply> {
  const ask = (read: Read) => askOne(connection, read, options, signal)
  const [dso, rules, scans] = await Promise.all([ask(getDsoPartyId), ask(getAmuletRules), ask(listDsoScans)])
  for (const said of [dso, rules, scans]) if (said.kind === 'silent') return said
  const set = setOf(
    (dso as Said<{ dso_party_id: string }>).value.dso_party_id,
    (rules as Said<AmuletRules>).value,
    (scans as Said<DsoScans>).value,
  )
  return set === undefined
    ? { kind: 'silent', reply: { kind: 'fault', fault: 'misshapen' } }
    : { kind: 'set', set }
}

interface Said<Value> {
  readonly kind: 'said'
  readonly value: Value
}

async function askOne(
  connection: Connection,
  read: Read,
  options: InquiryOptions,
  signal: AbortSignal,
): Promise<Said<unknown> | Extract<RosterReply, { kind: 'silent' }>> {
  const response = await connection.ask(requestOf(read, {}, options), signal)
  if (response.kind === 'fault') return { kind: 'silent', reply: { kind: 'fault', fault: response.fault } }
  const ballots = new Ballots(read, {})
  const { reply } = ballots.hear(0, response.status, response.body)
  response.release()
  switch (reply.kind) {
    case 'value':
      return { kind: 'said', value: ballots.content(reply.vote).value }
    case 'refusal':
      return {
        kind: 'silent',
        reply: { kind: 'abstention', reason: String(ballots.content(reply.vote).value) },
      }
    default:
      return { kind: 'silent', reply }
  }
}

/** Undefined where the three answers make no roster. */
function setOf(dso: string, rules: AmuletRules, { scans }: DsoScans): RosterSet | undefined {
  const synchronizer = activeSynchronizer(rules)
  const published = scans.find(({ domainId }) => domainId === synchronizer)?.scans
  if (synchronizer === undefined || published === undefined) return undefined
  const byName = Map.groupBy(published, ({ svName }) => svName)
  if (byName.size === 0 || byName.size > mostMembers || byName.has('')) return undefined
  const members = [...byName].map(
    ([name, entries]): Member => ({
      name,
      urls: [...new Set(entries.map(({ publicUrl }) => publicUrl))].sort(),
    }),
  )
  return { dso, synchronizer, members: members.sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

/** Of the configuration in force (AmuletConfigSchedule; future values are no longer used on any network). */
function activeSynchronizer({
  amulet_rules_update: { contract, domain_id },
}: AmuletRules): string | undefined {
  let at: unknown = contract.payload
  for (const key of ['configSchedule', 'initialValue', 'decentralizedSynchronizer', 'activeSynchronizer']) {
    at = isJsonObject(at) ? at[key] : undefined
  }
  return typeof at === 'string' ? at : (domain_id ?? undefined)
}
