import type { Clock } from '../lib/clock.ts'
import { digest } from '../lib/digest.ts'
import { testimonies } from '../quorum/dissenters.ts'
import type { Electorate } from '../quorum/electorate.ts'
import { Plan } from '../quorum/plan.ts'
import type { FaultKind, Reply } from '../quorum/reply.ts'
import type { Verdict } from '../quorum/verdict.ts'
import { getAmuletRules, getDsoPartyId, listDsoScans } from '../reads/dso.ts'
import type { Question, Read } from '../reads/read.ts'
import { Ballots } from './ballots.ts'
import type { Connection, Connections } from './connections.ts'
import { type Case, longestBody, repliesIn } from './evidence-log.ts'
import { fanOut } from './fanout.ts'
import { tunnelCode } from './forward-proxy.ts'
import type { InquiryOptions } from './inquiry.ts'
import { JudgeFailed, type JudgeThread } from './judge-thread.ts'
import type { ScanResponse } from './node.ts'
import { canonicalOf, type RosterSet, type RosterVoter } from './roster.ts'
import { requestOf } from './scan-request.ts'
import type { RefusalStatement } from './statement.ts'

export interface RosterPollOptions {
  readonly electorate: Electorate
  /** Whether the poll decides only when all replies have arrived. */
  readonly patient: boolean
  /** Called with the first well-formed roster that arrives, before anything is agreed. */
  readonly onFirstRoster: ((set: RosterSet) => void) | undefined
  /**
   * The configured DSO. A roster of another DSO is from the wrong network, and counts as a fault.
   */
  readonly dsoPartyId: string | undefined
  readonly inquiry: InquiryOptions
  readonly signal: AbortSignal
  readonly heard: (voter: RosterVoter, heard: PollReply) => void
}

export interface RosterPollDeps {
  readonly connections: Connections
  readonly clock: Clock
  readonly judge: JudgeThread
}

export type PollOutcome = Exclude<Reply['kind'], 'fault'> | FaultKind

export interface PollReply {
  readonly outcome: PollOutcome
  readonly seconds: number
  readonly result: PollResult
}

export interface RosterPoll {
  readonly verdict: Verdict
  readonly plan: Plan
  /** The different rosters that voters gave. The key is the vote: the roster's canonical JSON. */
  readonly sets: ReadonlyMap<string, RosterSet>
  /**
   * The results of the voters that replied before the verdict. If nothing was agreed, the results
   * of all voters that were asked.
   */
  readonly results: readonly PollResult[]
  readonly set: RosterSet | undefined
}

/**
 * Asks all voters for the roster, except those that are set aside or have no usable URL. The
 * promise rejects only when `signal` aborts.
 */
export async function pollForRoster(
  options: RosterPollOptions,
  { connections, clock, judge }: RosterPollDeps,
): Promise<RosterPoll> {
  const { electorate, patient, inquiry, signal } = options
  const voters = electorate.voters as readonly RosterVoter[]
  const aside = voters.flatMap((voter, index) => (connections.cordon.holds(voter) ? [index] : []))
  const order = voters.flatMap(({ place }, voter) =>
    place === undefined || aside.includes(voter) ? [] : [voter],
  )
  const plan = new Plan(electorate, { agree: 'whole', patient }, { fanout: 'all', order, aside })
  const sets = new Map<string, RosterSet>()
  const answers: Promise<RosterReply>[] = []
  const results: PollResult[] = []
  const ask = async (index: number): Promise<Reply> => {
    const voter = voters[index] as RosterVoter
    const places = connections.allOf(voter)
    if (places.length === 0) return { kind: 'fault', fault: 'unreachable' }
    const started = clock.now()
    const answer = firstSet(places, (connection) => askForRoster(connection, inquiry, { judge, signal }))
    answers.push(answer)
    const said = await answer
    const { reply, result } = voteOf(said, options.dsoPartyId, sets)
    results.push(result)
    const outcome = reply.kind === 'fault' ? reply.fault : reply.kind
    options.heard(voter, { outcome, seconds: (clock.now() - started) / 1000, result })
    return reply
  }
  const everyoneHeard = Promise.withResolvers<void>()
  const verdict = fanOut(
    {
      plan,
      ask: (voter, hearing) =>
        void ask(voter).then(
          (reply) => hearing.heard(voter, reply),
          (why) => hearing.failed(why),
        ),
      lateMs: () => inquiry.requestTimeoutMs,
      deadlineMs: inquiry.deadlineMs,
      signal,
      closed: everyoneHeard.resolve,
    },
    clock,
  )
  if (options.onFirstRoster !== undefined) tellFirst(answers, options.onFirstRoster)
  const settled = await verdict
  if (settled.kind !== 'agreed') await unlessAborted(everyoneHeard.promise, signal)
  const set = settled.kind === 'agreed' && settled.on === 'value' ? sets.get(settled.vote) : undefined
  return { verdict: settled, plan, sets, results: [...results], set }
}

/** Asks at one place after another until a reply is a roster, and returns the last reply. */
async function firstSet(
  [first, ...rest]: readonly Connection[],
  ask: (connection: Connection) => Promise<RosterReply>,
): Promise<RosterReply> {
  let said = await ask(first as Connection)
  for (const connection of rest) {
    if (said.kind === 'set') break
    said = await ask(connection)
  }
  return said
}

/**
 * Whether the voters gave different rosters. A voter that gave no roster, or the roster of another
 * network, is ignored.
 * @param expected the roster that the voters were asked to confirm. It is compared as well.
 */
export function isDisagreement({ sets }: RosterPoll, expected?: RosterSet): boolean {
  const said = new Set([...sets.keys(), ...(expected === undefined ? [] : [canonicalOf(expected)])])
  return said.size > 1
}

export function whyNoSet({ superValidators: { n, threshold } }: Electorate, { results }: RosterPoll): string {
  const blocked = results.filter(({ outcome }) => outcome === 'blocked')
  const own = blocked.length === 0 ? '' : `; ${blocked.length} never asked: ${blocked[0]?.detail}`
  const none =
    n === 1
      ? 'the only seed does not say who the super validators are'
      : `no ${threshold} of ${n} seeds name the same super validators`
  return `${none}${own}`
}

export function whyUnconfirmed(
  { superValidators, operators }: Electorate,
  { plan }: RosterPoll,
  set: RosterSet,
): string {
  const vote = canonicalOf(set)
  const confirming = plan.heard.filter((reply) => reply?.kind === 'value' && reply.vote === vote).length
  const companies = operators === undefined ? '' : `, of at least ${operators.threshold} operators`
  return `${confirming} of ${superValidators.n} super validators confirm the list of super validators that the seeds name, and ${superValidators.threshold} must${companies}`
}

export function countOutcomes(results: readonly PollResult[]): Readonly<Record<string, number>> {
  const counts = Map.groupBy(results, ({ outcome }) => outcome)
  return Object.fromEntries([...counts].map(([outcome, same]) => [outcome, same.length]))
}

export function rosterCaseOf(electorate: Electorate, { verdict, plan }: RosterPoll, wall: number): Case {
  return {
    at: new Date(wall).toISOString(),
    read: 'roster',
    params: '',
    outcome: verdict.kind,
    rule: verdict.rule,
    agreed: verdict.kind === 'agreed' && verdict.on === 'value' ? digest(verdict.vote) : null,
    ...repliesIn(testimonies(electorate, plan.heard), (_, vote) => ({
      digest: digest(vote),
      body: vote.slice(0, longestBody),
    })),
    dissent: {},
  }
}

export function replyInWords(reply: Reply | undefined, sets: ReadonlyMap<string, RosterSet>): string {
  switch (reply?.kind) {
    case undefined:
      return 'not heard yet'
    case 'value':
      return `${sets.get(reply.vote)?.members.length} super validators (${digest(reply.vote).slice(0, 8)})`
    case 'refusal':
      return 'a refusal'
    case 'abstention':
      return `cannot say: ${reply.reason}`
    case 'fault':
      return reply.fault
  }
}

function voteOf(
  said: RosterReply,
  dsoPartyId: string | undefined,
  sets: Map<string, RosterSet>,
): { readonly reply: Reply; readonly result: PollResult } {
  if (said.kind === 'silent') return said
  const { dso } = said.set
  if (dsoPartyId !== undefined && dso !== dsoPartyId) {
    const result = { outcome: 'other-network', detail: `its DSO is ${dso}` } as const
    return { reply: { kind: 'fault', fault: 'wrong-answer' }, result }
  }
  const vote = canonicalOf(said.set)
  sets.set(vote, said.set)
  const reply = { kind: 'value', vote } as const
  return { reply, result: { outcome: 'answered', detail: replyInWords(reply, sets) } }
}

async function unlessAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  try {
    await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function tellFirst(answers: readonly Promise<RosterReply>[], first: (set: RosterSet) => void): void {
  const sets = answers.map(async (answer) => {
    const said = await answer
    if (said.kind !== 'set') throw new TypeError('this reply is no roster')
    return said.set
  })
  Promise.any(sets).then(first, () => {
    // No voter sent a roster; the verdict reports that too.
  })
}

/** The reason why a scan gave no roster, as a code that shows an operator where to look. */
export type Cause =
  | 'refused'
  | 'rate-limited'
  | 'timed-out'
  | 'dns'
  | 'proxy'
  | 'tls'
  | 'connect'
  | 'reset'
  | 'blocked'
  | 'not-asked'
  | 'server-error'
  | 'not-a-scan'
  | 'contradictory'
  | 'other-network'
  | 'cannot-say'

export interface PollResult {
  readonly outcome: 'answered' | Cause
  readonly detail: string
}

const byFault: Readonly<Record<FaultKind, Cause>> = {
  unreachable: 'connect',
  blocked: 'blocked',
  reset: 'reset',
  truncated: 'reset',
  timeout: 'timed-out',
  busy: 'not-asked',
  'held-back': 'not-asked',
  unauthorized: 'refused',
  'rate-limited': 'rate-limited',
  'server-error': 'server-error',
  redirect: 'not-a-scan',
  'unexpected-status': 'not-a-scan',
  oversized: 'not-a-scan',
  'not-json': 'not-a-scan',
  misshapen: 'not-a-scan',
  'wrong-answer': 'other-network',
}

const dnsCode = /^(?:ENOTFOUND|EAI_\w+|ENODATA)$/
const tlsCode =
  /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_|HOSTNAME_MISMATCH|PATH_LENGTH_|ERROR_IN_C)/

const longestText = 200

export function resultOf(
  reply: Extract<Reply, { kind: 'fault' | 'abstention' }>,
  response: Pick<Extract<ScanResponse, { kind: 'response' }>, 'kind' | 'status' | 'body'> | ScanFault,
): PollResult {
  return { outcome: causeOf(reply, response), detail: detailOf(response) }
}

type ScanFault = Extract<ScanResponse, { kind: 'fault' }>

function causeOf(
  reply: Reply,
  response: { readonly kind: string; readonly code?: string | undefined },
): Cause {
  if (reply.kind !== 'fault') return 'cannot-say'
  const code = response.code ?? ''
  if (reply.fault !== 'unreachable') return byFault[reply.fault]
  if (code === tunnelCode) return 'proxy'
  if (dnsCode.test(code)) return 'dns'
  return tlsCode.test(code) ? 'tls' : byFault.unreachable
}

function detailOf(response: Parameters<typeof resultOf>[1]): string {
  if (response.kind === 'fault') return response.detail.slice(0, longestText)
  const text = response.body
    .subarray(0, 4 * longestText)
    .toString()
    .replaceAll(/\p{C}|\s+/gu, ' ')
    .trim()
  return `status ${response.status}${text === '' ? '' : `: ${text.slice(0, longestText)}`}`
}

export type RosterReply = { readonly kind: 'set'; readonly set: RosterSet } | Silent

interface Silent {
  readonly kind: 'silent'
  readonly reply: Extract<Reply, { kind: 'abstention' | 'fault' }>
  readonly result: PollResult
}

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
  const answers = await Promise.all([getDsoPartyId, getAmuletRules, listDsoScans].map(ask))
  const silent = answers.find((answer) => answer.kind === 'silent')
  if (silent !== undefined) return silent
  const bodies = answers.flatMap((answer) => (answer.kind === 'said' ? [answer.body] : []))
  try {
    const set = await judge.roster(bodies, connection.node.url)
    return typeof set === 'string' ? contradictory(set) : { kind: 'set', set }
  } catch (error) {
    return unread(error)
  }
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

interface SaidBody {
  readonly kind: 'said'
  readonly body: Buffer
}

async function askOne(
  connection: Connection,
  question: Question,
  options: InquiryOptions,
  { judge, signal }: { readonly judge: JudgeThread; readonly signal: AbortSignal },
): Promise<SaidBody | Silent> {
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

async function said(ballots: Ballots, vote: string): Promise<SaidBody | Silent> {
  try {
    const { body } = await ballots.print(vote, { on: 'whole' })
    return { kind: 'said', body: Buffer.from(body) }
  } catch (error) {
    return unread(error)
  }
}

function unread(error: unknown): Silent {
  if (!(error instanceof JudgeFailed)) throw error
  return error.blame === 'body' ? misshapen('an answer that cannot be read') : notJudged
}
