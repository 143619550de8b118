import { isJsonObject, parseJson } from '../lib/canonical-json.ts'
import type { Reply } from '../quorum/reply.ts'
import { type AmuletRules, type DsoScans, getAmuletRules, getDsoPartyId, listDsoScans } from '../reads/dso.ts'
import type { Question, Read } from '../reads/read.ts'
import { Ballots } from './ballots.ts'
import type { Connection } from './connections.ts'
import type { InquiryOptions } from './inquiry.ts'
import { JudgeFailed, type JudgeThread } from './judge-thread.ts'
import type { Member, RosterSet } from './roster.ts'
import { type PollResult, resultOf } from './roster-poll-result.ts'
import { requestOf } from './scan-request.ts'
import type { RefusalStatement } from './statement.ts'

export type RosterReply = { readonly kind: 'set'; readonly set: RosterSet } | Silent

interface Silent {
  readonly kind: 'silent'
  readonly reply: Extract<Reply, { kind: 'abstention' | 'fault' }>
  readonly result: PollResult
}

const mostMembers = 256

/** The bytes that the daemon keeps of a response without a roster, to show them to operators. */
const mostExplained = 1_024

/**
 * Asks one node for the DSO, the network's rules and the published scans, which together make the
 * roster. The promise rejects only when `signal` aborts.
 */
export async function askForRoster(
  connection: Connection,
  options: InquiryOptions,
  { judge, signal }: { readonly judge: JudgeThread; readonly signal: AbortSignal },
): Promise<RosterReply> {
  const ask = (read: Read) => askOne(connection, { read, params: {} }, options, { judge, signal })
  const [dso, rules, scans] = await Promise.all([ask(getDsoPartyId), ask(getAmuletRules), ask(listDsoScans)])
  for (const said of [dso, rules, scans]) if (said.kind === 'silent') return said
  const set = rosterSetOf(
    (dso as Said<{ dso_party_id: string }>).value.dso_party_id,
    (rules as Said<AmuletRules>).value,
    (scans as Said<DsoScans>).value,
  )
  return typeof set === 'string' ? contradictory(set) : { kind: 'set', set }
}

function contradictory(detail: string): Silent {
  return {
    kind: 'silent',
    reply: { kind: 'fault', fault: 'misshapen' },
    result: { outcome: 'contradictory', detail },
  }
}

/** The result if this daemon failed to judge a node's response. The node is not to blame. */
const notJudged: Silent = {
  kind: 'silent',
  reply: { kind: 'fault', fault: 'busy' },
  result: { outcome: 'not-asked', detail: 'this daemon had no means to judge its answer' },
}

function misshapen(detail: string): Silent {
  return {
    kind: 'silent',
    reply: { kind: 'fault', fault: 'misshapen' },
    result: { outcome: 'not-a-scan', detail },
  }
}

interface Said<Value> {
  readonly kind: 'said'
  readonly value: Value
}

async function askOne(
  connection: Connection,
  question: Question,
  options: InquiryOptions,
  { judge, signal }: { readonly judge: JudgeThread; readonly signal: AbortSignal },
): Promise<Said<unknown> | Silent> {
  const response = await connection.askForDaemon(requestOf(question, options), signal)
  if (response.kind === 'fault') return silent({ kind: 'fault', fault: response.fault }, response)
  const ballots = new Ballots(question, { judge: { thread: judge, nameOf: () => connection.node.url } })
  try {
    const { reply } = await ballots.hear(0, response.status, response.body)
    const { kind, status, body } = response
    const heard = { kind, status, body: Buffer.from(body.subarray(0, mostExplained)) }
    switch (reply.kind) {
      case 'value':
        return await said(ballots, reply.vote)
      case 'refusal': {
        const reason = (ballots.statement(reply.vote) as RefusalStatement).text
        return silent({ kind: 'abstention', reason }, heard)
      }
      case 'fault':
        return reply.fault === 'busy' ? notJudged : silent(reply, heard)
      default:
        return silent(reply, heard)
    }
  } finally {
    response.release()
  }
}

function silent(...[reply, response]: Parameters<typeof resultOf>): Silent {
  return { kind: 'silent', reply, result: resultOf(reply, response) }
}

async function said(ballots: Ballots, vote: string): Promise<Said<unknown> | Silent> {
  try {
    const { body } = await ballots.print(vote, { on: 'whole' })
    return { kind: 'said', value: parseJson(body) }
  } catch (error) {
    if (!(error instanceof JudgeFailed)) throw error
    return error.blame === 'body' ? misshapen('an answer that cannot be read') : notJudged
  }
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
  const byName = Map.groupBy(published, ({ svName }) => svName)
  if (byName.size === 0) return 'its list of scans is empty'
  if (byName.size > mostMembers) return `it lists ${byName.size} super validators, more than ${mostMembers}`
  if (byName.has('')) return 'it lists a super validator without a name'
  const members = [...byName].map(
    ([name, entries]): Member => ({
      name,
      urls: [...new Set(entries.map(({ publicUrl }) => publicUrl))].sort(),
    }),
  )
  return { dso, synchronizer, members: members.sort((a, b) => (a.name < b.name ? -1 : 1)) }
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
