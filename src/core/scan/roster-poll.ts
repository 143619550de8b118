import type { Clock } from '../../base/lib/clock.ts'
import { digest } from '../../base/lib/digest.ts'
import type { Events } from '../../base/telemetry/events.ts'
import { testimonies } from '../quorum/dissenters.ts'
import type { Electorate } from '../quorum/electorate.ts'
import { Plan } from '../quorum/plan.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Verdict } from '../quorum/verdict.ts'
import type { Read } from '../reads/read.ts'
import type { Connection, Connections } from './connections.ts'
import { type Case, longestBody, repliesIn } from './evidence-log.ts'
import type { InquiryOptions } from './inquiry.ts'
import { JudgeFailed, type JudgeThread, longestHere } from './judge-thread.ts'
import { refusalOf } from './judgement.ts'
import { canonicalOf, type Membership, membershipReads } from './membership.ts'
import { type RequestLimits, requestOf } from './node.ts'
import type { RosterVoter } from './roster.ts'
import { runPlan } from './run-plan.ts'
import { resultOf, type SeedResult } from './seed-outcome.ts'

export interface RosterPollOptions extends RequestLimits, Pick<InquiryOptions, 'deadlineMs'> {
  /** The configured DSO. A membership of another DSO is from the wrong network, and is a fault. */
  readonly dsoPartyId?: string
}

export interface RosterPollDeps {
  readonly clock: Clock
  readonly connections: Connections
  readonly judge: JudgeThread
  readonly events: Pick<Events, 'scanAsked'>
}

/** The outcome of asking one scan for `membershipReads`. The reply is a value exactly if there is a membership. */
export interface RosterAnswer {
  readonly reply: Reply
  readonly result: SeedResult
  readonly membership?: Membership
}

/** The result of asking several scans who the super validators are. */
export interface RosterPoll {
  readonly electorate: Electorate
  readonly verdict: Verdict
  readonly heard: readonly (Reply | undefined)[]
  /**
   * The answers that arrived before the verdict. If nothing was agreed, those of all scans that
   * were asked.
   */
  readonly answers: readonly RosterAnswer[]
  /** Undefined if nothing was agreed. */
  readonly membership: Membership | undefined
}

interface PollConduct {
  /** Whether the poll decides only when all replies have arrived. */
  readonly patient: boolean
  /** Called with each answer as soon as it arrives, before anything is agreed. */
  readonly answered?: (voter: RosterVoter, answer: RosterAnswer) => void
  readonly signal: AbortSignal
}

/**
 * Asks all voters who the super validators are, except voters that are set aside or have no usable
 * URL. The promise rejects as `runPlan` does.
 */
export async function pollForRoster(
  electorate: Electorate,
  { patient, answered, signal }: PollConduct,
  options: RosterPollOptions,
  { connections, clock, judge, events }: RosterPollDeps,
): Promise<RosterPoll> {
  const voters = electorate.voters as readonly RosterVoter[]
  const aside = voters.flatMap((voter, index) => (connections.cordon.holds(voter) ? [index] : []))
  const order = voters.flatMap(({ place }, index) =>
    place === undefined || aside.includes(index) ? [] : [index],
  )
  const plan = new Plan(electorate, { agree: 'whole', patient }, { fanout: 'all', order, aside })
  const answers: RosterAnswer[] = []
  const ask = async (index: number): Promise<Reply> => {
    const voter = voters[index] as RosterVoter
    const started = clock.now()
    const answer = await firstMembership(connections.allOf(voter), options, { judge, signal })
    const { reply } = answer
    answers.push(answer)
    const outcome = reply.kind === 'fault' ? reply.fault : reply.kind
    events.scanAsked(voter.names[0] as string, outcome, (clock.now() - started) / 1000)
    answered?.(voter, answer)
    return reply
  }
  const over = Promise.withResolvers<void>()
  signal.throwIfAborted()
  const verdict = await runPlan(
    plan,
    {
      ask: (voter, hearing) =>
        void ask(voter).then(
          (reply) => hearing.heard(voter, reply),
          (why) => hearing.failed(why),
        ),
      lateMs: () => options.requestTimeoutMs,
      allReplied: over.resolve,
      aborted: over.resolve,
    },
    options.deadlineMs,
    clock,
  )
  if (verdict.kind !== 'agreed') await over.promise
  // Changed options abort the signal. A poll under the former options must not be used.
  signal.throwIfAborted()
  const vote = verdict.kind === 'agreed' && verdict.on === 'value' ? verdict.vote : undefined
  const agreed = answers.find(({ reply }) => reply.kind === 'value' && reply.vote === vote)
  return {
    electorate,
    verdict,
    heard: plan.heard,
    answers: [...answers],
    membership: agreed?.membership,
  }
}

/** Asks at one place of a voter after another until a scan gives a membership. */
async function firstMembership(
  [first, ...rest]: readonly Connection[],
  options: RosterPollOptions,
  deps: { readonly judge: JudgeThread; readonly signal: AbortSignal },
): Promise<RosterAnswer> {
  let answer = await askForRoster(first as Connection, options, deps)
  for (const connection of rest) {
    if (answer.membership !== undefined) break
    answer = await askForRoster(connection, options, deps)
  }
  return answer
}

/**
 * Asks one scan for the DSO, the network's rules and the published scans. The promise rejects only
 * when `signal` aborts.
 */
export async function askForRoster(
  connection: Connection,
  options: Omit<RosterPollOptions, 'deadlineMs'>,
  { judge, signal }: { readonly judge: JudgeThread; readonly signal: AbortSignal },
): Promise<RosterAnswer> {
  // Until they are judged, long bodies count in the scan's share of memory. Short ones make room for
  // the others at once: the bytes of a released body stay as they are.
  const long: { release(): void }[] = []
  const ask = async (read: Read) => {
    const response = await connection.askForDaemon(requestOf({ read, params: {} }, options), signal)
    if (response.kind === 'fault') return without({ kind: 'fault', fault: response.fault }, response)
    const { status, body } = response
    if (status === 200 && body.length > longestHere && !signal.aborted) long.push(response)
    else response.release()
    if (status === 200) return body
    const reply = refusalOf(status, body, read, [])
    if (reply.kind === 'refusal') return without({ kind: 'abstention', reason: reply.text }, response)
    return without(reply, response)
  }
  try {
    const responses = await Promise.all(membershipReads.map(ask))
    const failed = responses.find((response) => 'reply' in response)
    if (failed !== undefined) return failed
    const bodies = responses.filter((response) => Buffer.isBuffer(response))
    const judged = await judge.roster(bodies, connection.node.url)
    if (typeof judged === 'string') return misshapen('contradictory', judged)
    if ('reply' in judged)
      return without(judged.reply, { kind: 'response', status: 200, body: bodies[judged.at] as Buffer })
    return voteFor(judged, options.dsoPartyId)
  } catch (error) {
    if (!(error instanceof JudgeFailed)) throw error
    if (error.blame === 'body') return misshapen('not-a-scan', 'an answer that cannot be read')
    return notJudged
  } finally {
    for (const response of long) response.release()
  }
}

function voteFor(membership: Membership, dsoPartyId: string | undefined): RosterAnswer {
  const { dso, members } = membership
  if (dsoPartyId !== undefined && dso !== dsoPartyId)
    return {
      reply: { kind: 'fault', fault: 'wrong-answer' },
      result: { outcome: 'other-network', detail: `its DSO is ${dso}` },
    }
  const vote = canonicalOf(membership)
  const detail = `${members.length} super validators (${digest(vote).slice(0, 8)})`
  return { reply: { kind: 'value', vote }, result: { outcome: 'answered', detail }, membership }
}

function without(...[reply, response]: Parameters<typeof resultOf>): RosterAnswer {
  return { reply, result: resultOf(reply, response) }
}

function misshapen(outcome: 'contradictory' | 'not-a-scan', detail: string): RosterAnswer {
  return { reply: { kind: 'fault', fault: 'misshapen' }, result: { outcome, detail } }
}

/** The answer if this daemon failed to judge a scan's responses. The scan is not to blame. */
const notJudged: RosterAnswer = {
  reply: { kind: 'fault', fault: 'busy' },
  result: { outcome: 'not-asked', detail: 'this daemon had no means to judge its answer' },
}

/**
 * Returns evidence if the voters gave different memberships. A voter that gave none, or one of
 * another network, is ignored.
 * @param expected the membership that the voters were asked to confirm. It is compared as well.
 */
export function disagreementIn(poll: RosterPoll, wall: number, expected?: Membership): Case | undefined {
  const { electorate, verdict, heard, answers } = poll
  const votes = answers.flatMap(({ reply }) => (reply.kind === 'value' ? [reply.vote] : []))
  if (new Set(expected === undefined ? votes : [...votes, canonicalOf(expected)]).size < 2) return undefined
  return {
    at: new Date(wall).toISOString(),
    read: 'roster',
    params: '',
    outcome: verdict.kind,
    rule: verdict.rule,
    agreed: verdict.kind === 'agreed' && verdict.on === 'value' ? digest(verdict.vote) : null,
    ...repliesIn(testimonies(electorate, heard), (_, vote) => ({
      digest: digest(vote),
      body: vote.slice(0, longestBody),
    })),
    dissent: {},
  }
}

export function whyNotAgreed({ electorate, answers }: RosterPoll, asked: 'seeds' | 'members'): string {
  const { n, threshold } = electorate.superValidators
  const blocked = answers.map(({ result }) => result).filter(({ outcome }) => outcome === 'blocked')
  const own = blocked.length === 0 ? '' : `; ${blocked.length} never asked: ${blocked[0]?.detail}`
  const none =
    n === 1 && asked === 'seeds'
      ? 'the only seed does not say who the super validators are'
      : `no ${threshold} of ${n} ${asked} name the same super validators`
  return `${none}${own}`
}

export function whyNotConfirmed({ electorate, heard }: RosterPoll, membership: Membership): string {
  const { superValidators, operators } = electorate
  const vote = canonicalOf(membership)
  const confirming = heard.filter((reply) => reply?.kind === 'value' && reply.vote === vote).length
  const companies = operators === undefined ? '' : `, of at least ${operators.threshold} operators`
  return `${confirming} of ${superValidators.n} super validators confirm the list of super validators that the seeds name, and ${superValidators.threshold} must${companies}`
}
