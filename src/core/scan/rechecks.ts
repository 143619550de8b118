import type { Clock } from '../../base/lib/clock.ts'
import type { Random } from '../../base/lib/random.ts'
import type { Events } from '../../base/telemetry/events.ts'
import type { Question } from '../reads/read.ts'
import { agreedDigest } from './agreed-answer.ts'
import { Ballots } from './ballots.ts'
import type { Connection, Connections } from './connections.ts'
import { type ContradictingVote, type Dissent, outcomeAmongAll } from './disagreement.ts'
import { type Discovery, requiredRoster } from './discovery.ts'
import type { DissentOutcome } from './evidence-log.ts'
import type { Inquiries, InquiryOptions } from './inquiry.ts'
import type { JudgeThread } from './judge-thread.ts'
import { requestOf, requestTo, type ScanRequest, type ScanResponse } from './node.ts'
import { ingressOf } from './rate-limit.ts'
import type { RosterVoter } from './roster.ts'

export interface AskingAgainDeps {
  /** Without a witness. */
  readonly inquiries: Inquiries
  readonly discovery: Pick<Discovery, 'roster' | 'status'>
}

/**
 * Puts a question to the super validators again, to find out what became of a contradiction. Records
 * no votes and no evidence.
 */
export class AskingAgain {
  readonly #deps: AskingAgainDeps

  constructor(deps: AskingAgainDeps) {
    this.#deps = deps
  }

  /** Returns the digest of the answer that is agreed now, or undefined without agreement. */
  async agreedNow(question: Question, signal: AbortSignal): Promise<string | undefined> {
    const { inquiries, discovery } = this.#deps
    using inquiry = inquiries.ask(question, requiredRoster(discovery), signal)
    const verdict = await inquiry.decided
    return verdict.kind === 'agreed' ? await agreedDigest(inquiry, verdict) : undefined
  }

  /**
   * Asks every super validator, to find out whether a contradiction was a lie or lag
   * (quorum.md#lag-is-not-a-lie).
   */
  async amongAll(
    { question, voter, said, agreed, isNewer }: ContradictingVote,
    signal: AbortSignal,
  ): Promise<DissentOutcome> {
    const { inquiries, discovery } = this.#deps
    const roster = requiredRoster(discovery)
    using inquiry = inquiries.ask(question, roster, signal, { fanout: 'all' })
    const verdict = await inquiry.decided
    await inquiry.whenOver()
    await inquiry.ballots.compare()
    const index = roster.voters.findIndex(({ names }) => names[0] === voter.names[0])
    return outcomeAmongAll(inquiry, verdict, index, { said, agreed, isNewer })
  }
}

export interface RechecksDeps {
  readonly events: Pick<Events, 'dissentsPending'>
  readonly clock: Clock
  readonly random: Random
  readonly connections: Connections
  readonly judge: JudgeThread
  readonly again: Pick<AskingAgain, 'agreedNow' | 'amongAll'>
}

/**
 * The window of one recheck, in milliseconds since the dissent. The recheck takes place at a random
 * moment in the window (quorum.md#lag-is-not-a-lie).
 */
interface RecheckWindow {
  readonly fromMs: number
  readonly toMs: number
}

const firstRecheck: RecheckWindow = { fromMs: 6_000, toMs: 10_000 }
/**
 * The second recheck begins after the 30 s of lag that Splice calls normal, and early enough for the
 * daemon to wait for its turn and still ask within `recheckWindowMs`.
 */
const secondRecheck: RecheckWindow = { fromMs: 35_000, toMs: 50_000 }
/**
 * The time after a dissent within which the daemon must ask the dissenter again. If that is not
 * possible, the dissent is recorded as `unchecked`.
 */
const recheckWindowMs = 60_000
const againMs = 1_000
/**
 * The maximum number of pending rechecks of one voter. Further dissents of the voter share the
 * outcome of a pending recheck.
 */
const mostPerVoter = 2
/**
 * The maximum number of further dissents that share the outcome of one recheck. Dissents above it
 * are recorded as `unchecked`.
 */
const mostSharingOneRecheck = 1_000

/**
 * The result of one recheck: the outcome of the dissent, or one of two results that do not decide
 * yet.
 * - `different`: the dissenter still gives another answer, or none.
 * - `not its turn`: the daemon may not ask the dissenter yet.
 */
type SecondLook = DissentOutcome | 'different' | 'not its turn'

interface WaitingRecheck {
  readonly dissent: Dissent
  readonly followers: Dissent['file'][]
  readonly since: number
}

/**
 * Distinguishes lag from lies (quorum.md#lag-is-not-a-lie). The daemon asks a dissenter again after
 * some seconds, and once more after half a minute. The outcome is `lag` if the dissenter then gives
 * the agreed answer, or the answer on which a quorum agrees by then; and `ahead` if the latter is
 * what the dissenter had said from the beginning, or if that was newer than the agreed answer.
 *
 * The number of rechecks is limited, so that a liar cannot double the load with frequent dissents.
 */
export class Rechecks implements Disposable {
  readonly #options: InquiryOptions
  readonly #deps: RechecksDeps
  readonly #waiting = new Map<string, WaitingRecheck[]>()
  readonly #closing = new AbortController()

  constructor(options: InquiryOptions, deps: RechecksDeps) {
    this.#options = options
    this.#deps = deps
  }

  add(dissent: Dissent): void {
    if (this.#closing.signal.aborted) return
    const name = dissent.voter.names[0] as string
    const waiting = this.#waiting.get(name) ?? []
    this.#waiting.set(name, waiting)
    const alike = waiting.find((other) => other.dissent.question.read === dissent.question.read)
    const leader = alike ?? (waiting.length < mostPerVoter ? undefined : waiting.at(-1))
    if (leader !== undefined) return this.#follow(dissent, leader)
    const entry = { dissent, followers: [], since: this.#deps.clock.now() }
    waiting.push(entry)
    this.#tellPending(dissent.voter)
    this.#recheckWithin(firstRecheck, name, entry)
  }

  /** Ends all pending rechecks. Their dissents are never filed. */
  forget(): void {
    for (const sv of this.#waiting.keys()) this.#deps.events.dissentsPending(sv, 0)
    this.#waiting.clear()
  }

  [Symbol.dispose](): void {
    this.#closing.abort()
    this.#waiting.clear()
  }

  #follow({ voter, file }: Dissent, { followers }: WaitingRecheck): void {
    if (followers.length >= mostSharingOneRecheck) return file('unchecked')
    followers.push(file)
    this.#tellPending(voter)
  }

  #recheckWithin({ fromMs, toMs }: RecheckWindow, name: string, entry: WaitingRecheck): void {
    const { clock, random } = this.#deps
    const at = entry.since + fromMs + random() * (toMs - fromMs)
    this.#after(Math.max(0, at - clock.now()), name, entry)
  }

  #after(ms: number, name: string, entry: WaitingRecheck): void {
    this.#deps.clock.after(ms, () => void this.#recheck(name, entry))
  }

  async #recheck(name: string, entry: WaitingRecheck): Promise<void> {
    if (!this.#isWaiting(name, entry)) return
    const { dissent, since } = entry
    const { clock, connections } = this.#deps
    const isLast = clock.now() >= since + secondRecheck.fromMs
    const connection = connections.find(dissent.voter)
    if (connection === undefined || this.#lacks(dissent, connection))
      return this.#file(name, entry, 'unchecked')
    try {
      const seen = isLast
        ? await this.#seenAtLast(dissent, connection)
        : await this.#seen(dissent, connection)
      if (seen === 'different') return this.#recheckWithin(secondRecheck, name, entry)
      if (seen !== 'not its turn') return this.#file(name, entry, seen)
      const turnMs = Math.max(againMs, this.#waitMs(dissent, connection))
      if (clock.now() + turnMs <= since + recheckWindowMs) this.#after(turnMs, name, entry)
      else this.#file(name, entry, 'unchecked')
    } catch {
      // The recheck failed, for example because the judge thread could not process a body. That is
      // no evidence about this voter.
      this.#file(name, entry, 'unchecked')
    }
  }

  async #seen(dissent: Dissent, connection: Connection): Promise<SecondLook> {
    const { question, agreed } = dissent
    const response = await this.#tryAsk(dissent, connection)
    if (response === undefined) return 'not its turn'
    const said = await this.#digestOf(dissent, response)
    if (said === undefined) return 'different'
    if (said === agreed) return 'lag'
    const now = await this.#deps.again.agreedNow(question, this.#closing.signal)
    if (said !== now) return 'different'
    return said === dissent.said || dissent.isNewer ? 'ahead' : 'lag'
  }

  /**
   * Performs the last recheck, which asks all voters. The dissenter gets only one request: its reply
   * counts as the recheck and as a vote.
   */
  async #seenAtLast(dissent: Dissent, connection: Connection): Promise<SecondLook> {
    if (this.#waitMs(dissent, connection) > 0) return 'not its turn'
    return this.#deps.again.amongAll(dissent, this.#closing.signal)
  }

  #isWaiting(name: string, entry: WaitingRecheck): boolean {
    return this.#waiting.get(name)?.includes(entry) === true
  }

  #file(name: string, entry: WaitingRecheck, as: DissentOutcome): void {
    if (!this.#isWaiting(name, entry)) return
    entry.dissent.file(as)
    for (const file of entry.followers) file(as)
    this.#forget(name, entry)
  }

  #forget(name: string, entry: WaitingRecheck): void {
    const left = this.#waiting.get(name)?.filter((other) => other !== entry) ?? []
    if (left.length > 0) this.#waiting.set(name, left)
    else this.#waiting.delete(name)
    this.#tellPending(entry.dissent.voter)
  }

  #tellPending(voter: RosterVoter): void {
    const waiting = this.#waiting.get(voter.names[0] as string) ?? []
    this.#deps.events.dissentsPending(
      voter.names[0] as string,
      waiting.reduce((sum, { followers }) => sum + 1 + followers.length, 0),
    )
  }

  #requestOf({ question, voter }: Dissent): ScanRequest {
    const request = requestOf(question, this.#options)
    return requestTo(voter.names, question, request) ?? request
  }

  #lacks({ question: { read, params } }: Dissent, { holdings }: Connection): boolean {
    const holding = read.holders?.of(params)
    return holding !== undefined && holdings.lacks(holding, this.#deps.clock.now())
  }

  #waitMs(dissent: Dissent, { rateLimit }: Connection): number {
    return rateLimit.waitMs(ingressOf(this.#requestOf(dissent)))
  }

  /**
   * Resolves with undefined if the daemon could not ask the node, or if the node asked for a pause.
   */
  async #tryAsk(dissent: Dissent, connection: Connection): Promise<ScanResponse | undefined> {
    const response = await connection.askForDaemon(this.#requestOf(dissent), this.#closing.signal)
    if (response.kind === 'fault')
      return response.fault === 'busy' || response.fault === 'held-back' ? undefined : response
    const isPause = (response.status === 429 || response.status === 503) && connection.rateLimit.isPaused
    if (!isPause) return response
    response.release()
    return undefined
  }

  async #digestOf({ question, voter }: Dissent, response: ScanResponse): Promise<string | undefined> {
    if (response.kind === 'fault') return undefined
    const ballots = new Ballots(question, {
      absentTexts: this.#options.absentTexts[question.read.id],
      judge: { thread: this.#deps.judge, nameOf: () => voter.names[0] as string },
    })
    try {
      const { reply } = await ballots.hear(0, response.status, response.body)
      if (reply.kind !== 'value' && reply.kind !== 'refusal') return undefined
      await ballots.compare()
      return ballots.statement(reply.vote).comparison?.digest
    } finally {
      response.release()
    }
  }
}
