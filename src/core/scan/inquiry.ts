import { type Clock, type Moment, momentOf } from '../../base/lib/clock.ts'
import { whenKnown } from '../../base/lib/maybe-promise.ts'
import type { Random } from '../../base/lib/random.ts'
import type { Events } from '../../base/telemetry/events.ts'
import type { AskOutcome } from '../../base/telemetry/label-values.ts'
import type { AskReason, Exchange, ReadTrace } from '../../base/telemetry/traces.ts'
import { QuestionBytes } from '../cache/answers.ts'
import type { Electorate, Group } from '../quorum/electorate.ts'
import { type FanoutMode, Plan } from '../quorum/plan.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Verdict } from '../quorum/verdict.ts'
import type { Question, Read } from '../reads/read.ts'
import { isKnownAbstention, lacksPath } from '../reads/replies.ts'
import { Ballots, type HeardResponse } from './ballots.ts'
import type { Connection, Connections } from './connections.ts'
import { usabilityOfReply } from './health.ts'
import { learnHoldings } from './holdings.ts'
import type { JudgeThread } from './judge-thread.ts'
import {
  RequestGroup,
  type RequestLimits,
  requestOf,
  requestTo,
  type ScanRequest,
  type ScanResponse,
} from './node.ts'
import type { PageTokens } from './page-tokens.ts'
import { type PeerCriteria, type Selection, wantedOf } from './peer-selection.ts'
import type { Roster } from './roster.ts'
import { type Asker, type Hearing, runPlan } from './run-plan.ts'

export interface InquiryOptions extends RequestLimits {
  readonly fanout: FanoutMode
  readonly deadlineMs: number
  /**
   * The share of agreed reads, from 0 to 1, after which the daemon asks one more voter, for
   * evidence.
   */
  readonly auditShare: number
  readonly keepsProvenance?: boolean
  /**
   * By read id: error texts that make a 404 an absence, in addition to those that the reads define.
   */
  readonly absentTexts: Readonly<Record<string, readonly string[]>>
}

export interface InquiryDeps {
  readonly clock: Clock
  readonly random: Random
  readonly connections: Connections
  readonly events: Pick<Events, 'forSuperValidator' | 'unknownRefusal'>
  readonly judge: JudgeThread
  readonly pages: PageTokens
  /** Absent for questions of which nothing is recorded. */
  readonly witness?: InquiryWitness
}

export interface InquiryWitness {
  /**
   * Called once for each inquiry that gets its last reply.
   * @returns undefined if nothing has to be written down; otherwise a promise that never rejects,
   * and until which the bodies are kept.
   */
  allReplied(inquiry: Inquiry): Promise<void> | undefined
}

export interface HowToAsk {
  /** If absent, the configured one. */
  readonly fanout?: FanoutMode
  /** Whether at least 2f+1 equal votes are needed, whatever threshold is configured. */
  readonly strict?: boolean
  /** Whether the bytes of the requests count against the limit of questions that callers ask. */
  readonly isForCaller?: boolean
  /** Called before the first request. */
  readonly trace?: ((inquiry: Inquiry) => ReadTrace) | undefined
}

/** A running inquiry as those see it who asked, and those who record it. */
export type Inquiry = Omit<RunningInquiry, keyof Asker | 'start' | 'abort'>

/** The inquiries that are not over, and the bytes of the requests of those that callers caused. */
interface InProgress {
  readonly inquiries: Set<RunningInquiry>
  readonly bodies: QuestionBytes
}

/** Puts questions to rosters. Nothing else knows how long an inquiry and its bodies live. */
export class Inquiries implements Disposable {
  readonly #options: InquiryOptions
  readonly #deps: InquiryDeps
  readonly #inProgress: InProgress = { inquiries: new Set(), bodies: new QuestionBytes() }

  constructor(options: InquiryOptions, deps: InquiryDeps) {
    this.#options = options
    this.#deps = deps
  }

  /**
   * Sends the first requests. All requests end when `signal` aborts, also those that are in flight
   * after the verdict.
   * @throws TooManyLoads if it is for a caller; the reason of the signal if it has aborted
   */
  ask(question: Question, roster: Roster, signal: AbortSignal, how: HowToAsk = {}): Inquiry {
    signal.throwIfAborted()
    const inquiry = new RunningInquiry({ question, roster, signal, how }, this.#options, this.#deps)
    inquiry.start(this.#inProgress, how.trace)
    return inquiry
  }

  /** Aborts all inquiries that are not over. */
  [Symbol.dispose](): void {
    for (const inquiry of this.#inProgress.inquiries) inquiry.abort(new Error('the daemon is closing'))
  }
}

type Releasable = Pick<Extract<ScanResponse, { kind: 'response' }>, 'release'>

interface Asked {
  readonly question: Question
  readonly roster: Roster
  readonly signal: AbortSignal
  readonly how: HowToAsk
}

/**
 * A question that was put to a roster, and what was heard of it until now. It is *decided* as soon as
 * there is a verdict. It is *over* when the last late reply has arrived, and the last one of an audit.
 * Dispose of it when you need its bodies no longer.
 */
class RunningInquiry implements Asker, Disposable {
  readonly question: Question
  readonly read: Read
  readonly roster: Roster
  readonly electorate: Electorate
  readonly begun: Moment
  readonly keepsProvenance: boolean
  /** The bodies of the replies, until this inquiry is disposed of. */
  readonly ballots: Ballots
  /** By voter index; undefined for a voter that cannot be asked. */
  readonly connections: readonly (Connection | undefined)[]
  /** The voters that an operator of this daemon set aside. */
  readonly aside: Group
  /** By voter index: the time of the latest reply, as a value of `Clock.now()`. */
  readonly heardAt: number[] = []
  /** By voter index: how long the latest reply took. */
  readonly seconds: number[] = []
  /**
   * Resolves with the verdict. Rejects if the signal aborts first, if the daemon closes, and after
   * an error that nobody foresaw.
   */
  decided!: Promise<Verdict>
  readonly #options: InquiryOptions
  readonly #deps: InquiryDeps
  readonly #plan: Plan
  readonly #turns: Turns
  readonly #group: RequestGroup
  /** By voter index; undefined for a voter that did not give the page that the question continues. */
  readonly #requests: readonly (ScanRequest | undefined)[]
  /**
   * The bytes that the bodies of a caller's requests take. All scans share one body, unless each has
   * its own token.
   */
  readonly #bodyBytes: number
  readonly #wanted: PeerCriteria
  readonly #selection: Selection
  /**
   * By voter index: the time of the latest request, as a value of `Clock.now()`. The time is in the
   * future if the rate limit delays the request.
   */
  readonly #askedAt: number[] = []
  #trace: ReadTrace | undefined
  #inProgress: InProgress | undefined
  #isOver = false
  #over: PromiseWithResolvers<void> | undefined
  readonly #kept: Releasable[] = []
  /** Who may still need the bodies. */
  readonly #holders = new Set<'caller' | 'itself'>(['caller', 'itself'])

  constructor({ question, roster, signal, how }: Asked, options: InquiryOptions, deps: InquiryDeps) {
    const { read } = question
    const { clock } = deps
    this.question = question
    this.read = read
    this.roster = roster
    this.begun = momentOf(clock)
    this.#options = options
    this.keepsProvenance = options.keepsProvenance === true
    this.#deps = deps
    this.electorate = how.strict ? roster.strictElectorate(read.id) : roster.electorate(read.id)
    this.ballots = new Ballots(question, {
      absentTexts: options.absentTexts[read.id],
      judge: { thread: deps.judge, nameOf: (voter) => this.#nameOf(voter) },
    })
    const request = requestOf(question, options)
    this.#requests = roster.voters.map(({ names }) => requestTo(names, question, request))
    const bodies = question.page === undefined ? [request] : this.#requests
    this.#bodyBytes = how.isForCaller ? bodies.reduce((sum, asked) => sum + (asked?.body?.length ?? 0), 0) : 0
    this.#group = new RequestGroup(signal, clock)
    const { connections, aside, selection } = deps.connections.ofRoster(roster)
    this.aside = aside
    this.connections = connections
    this.#selection = selection
    this.#wanted = wantedOf(question, request)
    this.#turns = new Turns(connections, this.#wanted, this.begun.now + options.deadlineMs, clock)
    const policy = { agree: read.agree.on, patient: false, provable: read.proves !== undefined }
    const { order, spare } = selection.choose(this.electorate, this.#wanted, deps.random)
    const asked = order.filter((voter) => this.#requests[voter] !== undefined)
    const fanout = question.page === undefined ? (how.fanout ?? options.fanout) : 'all'
    this.#plan = new Plan(this.electorate, policy, { fanout, aside, order: asked, ...(spare && { spare }) })
  }

  get verdict(): Verdict | undefined {
    return this.#plan.verdict
  }

  /** By voter index: the reply, unless it is still awaited or the voter was not asked. */
  get heard(): readonly (Reply | undefined)[] {
    return this.#plan.heard
  }

  /** The number of requests. */
  get asked(): number {
    return this.#plan.asked
  }

  get unasked(): Group {
    return this.#plan.unasked
  }

  get isBeforeDeadline(): boolean {
    return this.#deps.clock.now() < this.begun.now + this.#options.deadlineMs
  }

  /** The number of voters that gave the page that the question continues. */
  get group(): number {
    return this.#requests.filter((request) => request !== undefined).length
  }

  /** How long the rate limit delays a request to this voter that is made now. */
  waitMs(voter: number): number {
    return this.#turns.waitMs(voter)
  }

  /**
   * Returns the token with which callers continue the agreed page, from all voters that gave it so
   * far. Undefined if it is the last one, or if the read has no pages.
   */
  nextPage(verdict: Verdict): string | undefined {
    if (this.read.pages === undefined || verdict.kind !== 'agreed' || verdict.on !== 'value') return undefined
    const { vote } = verdict
    const gave = this.heard.flatMap((reply, voter) =>
      reply?.kind === 'value' && reply.vote === vote ? [voter] : [],
    )
    const tokens = this.ballots.nextPage(vote, gave)
    const [first] = tokens.values()
    if (first === undefined) return undefined
    const byName = [...tokens].map(([voter, { token }]) => [this.#nameOf(voter), token] as const)
    return this.#deps.pages.seal(this.question, this.roster.membership.dso, {
      time: first.time,
      tokens: new Map(byName),
    })
  }

  // Asking

  start(inProgress: InProgress, trace: HowToAsk['trace']): void {
    inProgress.bodies.hold(this.#bodyBytes)
    inProgress.inquiries.add(this)
    this.#inProgress = inProgress
    this.#trace = trace?.(this)
    this.decided = runPlan(this.#plan, this, this.#options.deadlineMs, this.#deps.clock)
  }

  /**
   * Asks a voter now, or after a wait if the rate limit or a pause requires one. If the wait would
   * be too long for the deadline, the node refuses the request at once: `held-back`.
   */
  ask(voter: number, hearing: Hearing, reason: AskReason): void {
    if (this.#turns.mustWait(voter)) this.#turns.wait(voter, () => this.ask(voter, hearing, reason))
    else this.#askNow(voter, hearing, reason)
  }

  lateMs(voter: number): number {
    return this.#turns.lateMs(voter)
  }

  late(voter: number): void {
    const askedAt = this.#askedAt[voter]
    if (askedAt !== undefined) this.connections[voter]?.health.late(askedAt)
  }

  #askNow(voter: number, hearing: Hearing, reason: AskReason): void {
    const { clock } = this.#deps
    const started = clock.now()
    const connection = this.connections[voter] as Connection
    const turnMs = this.#turns.waitMs(voter, started)
    this.#askedAt[voter] = started + turnMs
    connection.health.asked(started)
    const trace = this.#trace?.ask(this.#nameOf(voter), reason)
    const asked = this.#requests[voter] as ScanRequest
    const request = trace?.traceParent === undefined ? asked : { ...asked, traceParent: trace.traceParent }
    connection
      .ask(request, this.#group)
      .then((response) => {
        const heardAt = clock.now()
        const tookMs = heardAt - started
        this.heardAt[voter] = heardAt
        const said =
          response.kind === 'fault'
            ? { reply: response, kept: false }
            : this.ballots.hear(voter, response.status, response.body)
        return whenKnown<HeardResponse, void>(said, ({ reply, kept }) => {
          if (response.kind === 'response') {
            if (kept && !this.#isOver) this.#kept.push(response)
            else response.release()
          }
          connection.record(
            usabilityOfReply(reply, response),
            Math.max(0, tookMs - turnMs),
            this.#wanted.kind,
          )
          if (this.#group.isAborted) return hearing.failed(this.#group.reason)
          this.#tell(voter, reply, tookMs / 1000)
          trace?.heard(outcomeOf(reply), exchangeOf(response))
          if (this.#isPutOff(voter, response)) {
            this.#turns.putOff(voter, () => this.ask(voter, hearing, reason))
            hearing.paused(voter)
          } else hearing.heard(voter, reply)
        })
      })
      .catch((why: unknown) => {
        trace?.abandoned()
        hearing.failed(why)
      })
  }

  #isPutOff(voter: number, response: ScanResponse): boolean {
    if (response.kind === 'fault' || (response.status !== 429 && response.status !== 503)) return false
    return this.#plan.verdict === undefined && this.#turns.mayPutOff(voter)
  }

  #tell(voter: number, reply: Reply, seconds: number): void {
    const { events } = this.#deps
    const sv = this.#nameOf(voter)
    this.seconds[voter] = seconds
    events.forSuperValidator(sv).asked(outcomeOf(reply), seconds, this.read.id)
    if (reply.kind !== 'abstention') return
    if (lacksPath(reply.reason)) this.connections[voter]?.doubtRelease()
    if (!isKnownAbstention(reply.reason)) events.unknownRefusal(this.read.id, sv, reply.reason)
  }

  #nameOf(voter: number): string {
    return this.roster.voters[voter]?.names[0] as string
  }

  // Decided

  settled(verdict: Verdict, hearing: Hearing): void {
    const { kind, rule } = verdict
    const agreed = verdict.kind === 'agreed' ? verdict.members.length : 0
    this.#trace?.settled({ outcome: kind, rule, agreed, asked: this.asked })
    for (const [voter, reply] of this.#turns.stop()) hearing.heard(voter, reply)
  }

  // Late replies and an audit

  /**
   * After some of the agreed reads (`auditShare`), asks one more random voter, for evidence and
   * health. The request is sent in a later turn of the event loop, so that the caller gets its
   * answer first.
   */
  allReplied(): void {
    const { clock, random } = this.#deps
    const isDrawn = this.verdict?.kind === 'agreed' && random() < this.#options.auditShare
    const voter = isDrawn ? this.#selection.drawAudited(this.unasked, this.#wanted, random) : undefined
    if (voter === undefined) return this.#conclude()
    this.#plan.audit(voter)
    const hearing: Hearing = {
      heard: (_, reply) => {
        this.#plan.reply(voter, reply)
        this.#conclude()
      },
      paused: () => {},
      late: () => {},
      failed: () => this.aborted(),
    }
    clock.after(0, () => this.#askNow(voter, hearing, 'audit'))
  }

  /**
   * Waits until the inquiry is over, at most for this time.
   * @throws the reason of the abort if the inquiry was aborted, and no time is given
   */
  async whenOver(atMostMs?: number): Promise<void> {
    if (!this.#isOver) {
      this.#over ??= Promise.withResolvers()
      const { promise } = this.#over
      await (atMostMs === undefined ? promise : this.#within(atMostMs, promise))
    }
    if (atMostMs === undefined && this.#group.isAborted) throw this.#group.reason
  }

  async #within(ms: number, over: Promise<void>): Promise<void> {
    const waited = Promise.withResolvers<void>()
    const cancel = this.#deps.clock.after(ms, waited.resolve)
    await Promise.race([over, waited.promise])
    cancel()
  }

  // Over, bodies released

  #conclude(): void {
    const written = this.#deps.witness?.allReplied(this)
    this.#end()
    if (written === undefined) this.#letGo('itself')
    else void written.then(() => this.#letGo('itself'))
    const { holding } = this.#wanted
    if (holding !== undefined) learnHoldings(holding, this, this.#deps.connections)
  }

  abort(reason: unknown): void {
    this.#group.abort(reason)
  }

  aborted(): void {
    this.#trace?.abandoned()
    this.#turns.stop()
    this.#end()
    this.#letGo('itself')
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#inProgress?.inquiries.delete(this)
    this.#inProgress?.bodies.release(this.#bodyBytes)
    this.#over?.resolve()
  }

  [Symbol.dispose](): void {
    this.#letGo('caller')
  }

  #letGo(holder: 'caller' | 'itself'): void {
    this.#holders.delete(holder)
    if (this.#holders.size === 0) for (const response of this.#kept.splice(0)) response.release()
  }
}

function outcomeOf(reply: Reply): AskOutcome {
  return reply.kind === 'fault' ? reply.fault : reply.kind
}

function exchangeOf(response: ScanResponse): Exchange {
  const { resent = false } = response
  return response.kind === 'fault'
    ? { status: undefined, bytes: undefined, resent }
    : { status: response.status, bytes: response.body.length, resent }
}

/**
 * Delays each request of one read until the rate limit permits it, and until the pause that the
 * scan asked for is over.
 */
class Turns {
  readonly #connections: readonly (Connection | undefined)[]
  readonly #wanted: PeerCriteria
  /** A value of `Clock.now()`. */
  readonly #deadline: number
  readonly #clock: Clock
  readonly #waiting = new Map<number, () => void>()
  /**
   * The voters whose reply to this read asked for a pause. The daemon asks each of them again after
   * the pause, but only once.
   */
  readonly #putOff = new Set<number>()

  constructor(
    connections: readonly (Connection | undefined)[],
    wanted: PeerCriteria,
    deadline: number,
    clock: Clock,
  ) {
    this.#connections = connections
    this.#wanted = wanted
    this.#deadline = deadline
    this.#clock = clock
  }

  waitMs(voter: number, now = this.#clock.now()): number {
    return this.#connections[voter]?.rateLimit.waitMs(this.#wanted.ingress, now) ?? 0
  }

  lateMs(voter: number): number {
    return this.waitMs(voter) + (this.#connections[voter]?.health.lateMs(this.#wanted.kind) ?? 0)
  }

  mustWait(voter: number): boolean {
    const refuses = this.#connections[voter]?.rateLimit.refuses(this.#wanted.ingress) === true
    return refuses && this.#isTimeFor(voter)
  }

  /**
   * Whether the voter asked for a pause that ends early enough for a second request before the
   * deadline. True at most once for each voter and read.
   */
  mayPutOff(voter: number): boolean {
    const isPaused = this.#connections[voter]?.rateLimit.isPaused === true
    return isPaused && !this.#putOff.has(voter) && this.#isTimeFor(voter)
  }

  wait(voter: number, ask: () => void): void {
    const cancel = this.#clock.after(this.waitMs(voter), () => {
      this.#waiting.delete(voter)
      ask()
    })
    this.#waiting.set(voter, cancel)
  }

  putOff(voter: number, ask: () => void): void {
    this.#putOff.add(voter)
    this.wait(voter, ask)
  }

  /**
   * Cancels the requests that still wait. Returns their voters, each with the fault that counts as
   * its reply.
   */
  stop(): readonly (readonly [voter: number, reply: Reply])[] {
    for (const cancel of this.#waiting.values()) cancel()
    const voters = [...this.#waiting.keys()]
    this.#waiting.clear()
    return voters.map((voter) => [
      voter,
      { kind: 'fault', fault: this.#putOff.has(voter) ? 'rate-limited' : 'held-back' },
    ])
  }

  #isTimeFor(voter: number): boolean {
    return this.#clock.now() + this.lateMs(voter) <= this.#deadline
  }
}
