import type { Clock } from '../lib/clock.ts'
import { digest } from '../lib/digest.ts'
import { testimonies } from '../quorum/dissenters.ts'
import type { Electorate } from '../quorum/electorate.ts'
import { Plan } from '../quorum/plan.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Verdict } from '../quorum/verdict.ts'
import type { Events } from '../telemetry/events.ts'
import type { Connection, Connections } from './connections.ts'
import { type EvidenceLog, longestBody, repliesIn } from './evidence-log.ts'
import { fanOut } from './fanout.ts'
import type { InquiryOptions } from './inquiry.ts'
import type { JudgeThread } from './judge-thread.ts'
import { placeOf } from './origin.ts'
import { canonicalOf, type RosterSet, type RosterVoter } from './roster.ts'
import { askForRoster, type PollResult, type RosterReply } from './roster-ask.ts'

export interface RosterPollsOptions {
  /**
   * The configured DSO. A roster of another DSO is from the wrong network, and counts as a fault.
   */
  readonly dsoPartyId: string | undefined
  readonly inquiry: InquiryOptions
}

export interface RosterPollsDeps {
  readonly clock: Clock
  readonly connections: Connections
  readonly judge: JudgeThread
  readonly evidence: EvidenceLog
  readonly events: Pick<Events, 'scanAsked' | 'seedAnswered'>
}

interface PollOptions {
  /** Whether the poll decides only when all replies have arrived. */
  readonly patient: boolean
  /** Called with the first well-formed roster that arrives, before anything is agreed. */
  readonly onFirstRoster?: (set: RosterSet) => void
  readonly signal: AbortSignal
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

export interface SeedState {
  readonly url: string
  readonly outcome: PollResult['outcome'] | 'not-asked-yet'
  readonly detail: string
  readonly at: string | null
}

/**
 * Asks seeds or members for the roster. Records the results of the seeds for the status, and
 * disagreements as evidence.
 */
export class RosterPolls {
  readonly #options: RosterPollsOptions
  readonly #deps: RosterPollsDeps
  /** By origin, or by name if the seed's URL cannot be asked. */
  readonly #seedResults = new Map<string, PollResult & { readonly at: string }>()

  constructor(options: RosterPollsOptions, deps: RosterPollsDeps) {
    this.#options = options
    this.#deps = deps
  }

  async seeds(electorate: Electorate, asked: PollOptions): Promise<RosterPoll> {
    const { clock, events } = this.#deps
    const poll = await this.members(electorate, asked, ({ names, place }, result) => {
      const at = new Date(clock.wall()).toISOString()
      this.#seedResults.set(place?.origin ?? (names[0] as string), { ...result, at })
    })
    if (poll.set !== undefined) return poll
    electorate.voters.forEach(({ names }, voter) => {
      const answer = replyInWords(poll.plan.heard[voter], poll.sets)
      for (const name of names) events.seedAnswered(name, answer)
    })
    return poll
  }

  /**
   * Asks all voters for the roster, except those that are set aside or have no usable URL. The
   * promise rejects only when the signal aborts.
   */
  async members(
    electorate: Electorate,
    { patient, onFirstRoster, signal }: PollOptions,
    said: (voter: RosterVoter, result: PollResult) => void = () => {},
  ): Promise<RosterPoll> {
    const { inquiry, dsoPartyId } = this.#options
    const { connections, clock, judge, events } = this.#deps
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
      const { reply, result } = voteOf(await answer, dsoPartyId, sets)
      results.push(result)
      const outcome = reply.kind === 'fault' ? reply.fault : reply.kind
      events.scanAsked(voter.names[0] as string, outcome, (clock.now() - started) / 1000)
      said(voter, result)
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
    if (onFirstRoster !== undefined) tellFirst(answers, onFirstRoster)
    const settled = await verdict
    if (settled.kind !== 'agreed') await unlessAborted(everyoneHeard.promise, signal)
    // Changed options abort the signal. A poll under the former options must not be used.
    signal.throwIfAborted()
    const set = settled.kind === 'agreed' && settled.on === 'value' ? sets.get(settled.vote) : undefined
    return { verdict: settled, plan, sets, results: [...results], set }
  }

  seedStates(urls: readonly string[]): readonly SeedState[] {
    return urls.map((url) => {
      const result = this.#seedResults.get(keyOf(url))
      return { url, ...(result ?? { outcome: 'not-asked-yet', detail: '', at: null }) }
    })
  }

  /** Forgets the results of all other seeds. */
  keepAnswersOf(urls: readonly string[]): void {
    const kept = new Set(urls.map(keyOf))
    for (const key of this.#seedResults.keys()) if (!kept.has(key)) this.#seedResults.delete(key)
  }

  /**
   * Keeps evidence if the voters gave different rosters. A voter that gave no roster, or the roster
   * of another network, is ignored.
   * @param expected the roster that the voters were asked to confirm. It is compared as well.
   */
  keepDisagreement(electorate: Electorate, { sets, verdict, plan }: RosterPoll, expected?: RosterSet): void {
    const { clock, evidence } = this.#deps
    if (new Set([...sets.keys(), ...(expected ? [canonicalOf(expected)] : [])]).size < 2) return
    evidence.add({
      at: new Date(clock.wall()).toISOString(),
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
    })
  }
}

function keyOf(url: string): string {
  return placeOf(url)?.origin ?? url
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

function replyInWords(reply: Reply | undefined, sets: ReadonlyMap<string, RosterSet>): string {
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
