import type { Clock } from '../../base/lib/clock.ts'
import { type MaybePromise, whenKnown } from '../../base/lib/maybe-promise.ts'
import type { Random } from '../../base/lib/random.ts'
import type { Events } from '../../base/telemetry/events.ts'
import type { AskOutcome } from '../../base/telemetry/label-values.ts'
import type { AskReason, Exchange, ReadTrace } from '../../base/telemetry/traces.ts'
import type { Electorate } from '../quorum/electorate.ts'
import { type Fanout, Plan } from '../quorum/plan.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Verdict } from '../quorum/verdict.ts'
import type { Question, Read } from '../reads/read.ts'
import { isKnownAbstention, lacksPath } from '../reads/replies.ts'
import { Ballots } from './ballots.ts'
import type { Connection, Connections } from './connections.ts'
import { fanOut, type Hearing } from './fanout.ts'
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

export interface InquiryOptions extends RequestLimits {
  readonly fanout: Fanout
  readonly deadlineMs: number
  /**
   * The share of agreed reads, from 0 to 1, after which the daemon asks one more voter, for
   * evidence.
   */
  readonly auditShare: number
  readonly strict?: boolean
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
}

type Releasable = Pick<Extract<ScanResponse, { kind: 'response' }>, 'release'>

export class Inquiry {
  readonly question: Question
  readonly read: Read
  readonly roster: Roster
  readonly electorate: Electorate
  readonly ballots: Ballots
  readonly plan: Plan
  readonly #options: InquiryOptions
  readonly #deps: InquiryDeps
  /** By voter index; undefined for a voter that cannot be asked. */
  readonly connections: readonly (Connection | undefined)[]
  readonly aside: readonly number[]
  /** By voter index; undefined for a voter that did not give the page that the question continues. */
  readonly #requests: readonly (ScanRequest | undefined)[]
  /** The bytes that the bodies of the requests take. All scans share one body, unless each has its own token. */
  readonly bodyBytes: number
  readonly #wanted: PeerCriteria
  readonly #selection: Selection
  readonly #kept: Releasable[] = []
  readonly #over = Promise.withResolvers<void>()
  /** Resolves after the last reply, or when the signal of `run` aborts. */
  readonly over = this.#over.promise
  readonly keepsProvenance: boolean
  #holders = 0
  #isOver = false
  #deadline = Number.POSITIVE_INFINITY
  #group!: RequestGroup
  #closed!: () => void
  readonly heardAt: number[] = []
  /** By voter index: how long the latest reply took. */
  readonly seconds: number[] = []
  /**
   * By voter index: the time of the latest request, as a value of `Clock.now()`. The time is in the
   * future if the rate limit delays the request.
   */
  readonly #askedAt: number[] = []
  readonly turns: Turns
  #trace: ReadTrace | undefined

  constructor(question: Question, roster: Roster, options: InquiryOptions, deps: InquiryDeps) {
    const { read } = question
    this.question = question
    this.read = read
    this.roster = roster
    this.#options = options
    this.keepsProvenance = options.keepsProvenance === true
    this.#deps = deps
    this.electorate = options.strict ? roster.strictElectorate(read.id) : roster.electorate(read.id)
    this.ballots = new Ballots(question, {
      absentTexts: options.absentTexts[read.id],
      judge: { thread: deps.judge, nameOf: (voter) => roster.voters[voter]?.names[0] as string },
    })
    const request = requestOf(question, options)
    this.#requests = roster.voters.map(({ names }) => requestTo(names, question, request))
    const bodies = question.page === undefined ? [request] : this.#requests
    this.bodyBytes = bodies.reduce((sum, asked) => sum + (asked?.body?.length ?? 0), 0)
    const { connections, aside, selection } = deps.connections.ofRoster(roster)
    this.aside = aside
    this.connections = connections
    this.#selection = selection
    this.#wanted = wantedOf(question, request)
    this.turns = new Turns(connections, this.#wanted, deps.clock)
    const policy = { agree: read.agree.on, patient: false, provable: read.proves !== undefined }
    const { order, spare } = selection.choose(this.electorate, this.#wanted, deps.random)
    const asked = order.filter((voter) => this.#requests[voter] !== undefined)
    const fanout = question.page === undefined ? options.fanout : 'all'
    this.plan = new Plan(this.electorate, policy, { fanout, aside, order: asked, ...(spare && { spare }) })
  }

  /** The number of voters that gave the page that the question continues. */
  get group(): number {
    return this.#requests.filter((request) => request !== undefined).length
  }

  /**
   * Returns the token with which callers continue the agreed page, from all voters that gave it so
   * far. Undefined if it is the last one, or if the read has no pages.
   */
  nextPage(verdict: Verdict): string | undefined {
    if (this.read.pages === undefined || verdict.kind !== 'agreed' || verdict.on !== 'value') return undefined
    const { vote } = verdict
    const gave = this.plan.heard.flatMap((reply, voter) =>
      reply?.kind === 'value' && reply.vote === vote ? [voter] : [],
    )
    const tokens = this.ballots.nextPage(vote, gave)
    const [first] = tokens.values()
    if (first === undefined) return undefined
    const byName = [...tokens].map(
      ([voter, { token }]) => [this.roster.voters[voter]?.names[0] as string, token] as const,
    )
    return this.#deps.pages.seal(this.question, this.roster.membership.dso, {
      time: first.time,
      tokens: new Map(byName),
    })
  }

  /** Resolves as `over` does, and at the latest after this time. */
  async overWithin(ms: number): Promise<void> {
    const waited = Promise.withResolvers<void>()
    const cancel = this.#deps.clock.after(ms, waited.resolve)
    await Promise.race([this.over, waited.promise])
    cancel()
  }

  get isOpen(): boolean {
    return this.#deps.clock.now() < this.#deadline
  }

  /**
   * Resolves with the verdict as soon as there is one, and rejects as `fanOut` does. The requests
   * that are still in flight end when `signal` aborts.
   * @param closed called after the last reply, unless the signal aborts first. Then the bodies are
   * released, unless `hold` keeps them.
   */
  run(signal: AbortSignal, closed = () => {}, trace?: ReadTrace): Promise<Verdict> {
    const { clock } = this.#deps
    const { deadlineMs } = this.#options
    this.#trace = trace
    this.#closed = closed
    this.#group = new RequestGroup(signal, clock)
    this.#deadline = clock.now() + deadlineMs
    return fanOut(
      {
        plan: this.plan,
        ask: (voter, hearing, reason) => this.#ask(voter, hearing, reason),
        lateMs: (voter) => this.turns.lateMs(voter),
        late: (voter) => this.#tellLate(voter),
        deadlineMs,
        signal,
        settled: (hearing) => {
          for (const [voter, reply] of this.turns.stop()) hearing.heard(voter, reply)
        },
        closed: () => this.#audit(),
        aborted: () => this.#abort(),
      },
      clock,
    )
  }

  #close(): void {
    this.#closed()
    this.#release()
    const { holding } = this.#wanted
    if (holding !== undefined) learnHoldings(holding, this, this.#deps.connections)
  }

  #abort(): void {
    this.#trace?.abandoned()
    this.turns.stop()
    this.#release()
  }

  /**
   * Keeps the bodies of the replies in memory until the returned object is disposed of. Code that
   * uses the bodies after the callback `closed` of `run` must call `hold` before `run`, or in that
   * callback.
   */
  hold(): Disposable {
    let isHeld = true
    this.#holders++
    const letGo = () => {
      if (!isHeld) return
      isHeld = false
      this.#holders--
      this.#releaseUnheld()
    }
    return { [Symbol.dispose]: letGo }
  }

  #tellLate(index: number): void {
    const askedAt = this.#askedAt[index]
    if (askedAt !== undefined) this.connections[index]?.health.late(askedAt)
  }

  /**
   * Asks a voter now, or after a wait if the rate limit or a pause requires one. If the wait would
   * be too long for the deadline, the node refuses the request at once: `held-back`.
   */
  #ask(index: number, hearing: Hearing, reason: AskReason): void {
    if (this.turns.mustWait(index, this.#deadline)) {
      this.turns.wait(index, () => this.#ask(index, hearing, reason))
    } else this.#send(index, hearing, reason)
  }

  #send(index: number, hearing: Hearing, reason: AskReason): void {
    const { clock } = this.#deps
    const started = clock.now()
    const connection = this.connections[index] as Connection
    const turnMs = this.turns.waitMs(index, started)
    this.#askedAt[index] = started + turnMs
    connection.health.asked(started)
    const trace = this.#trace?.ask(this.roster.voters[index]?.names[0] as string, reason)
    const asked = this.#requests[index] as ScanRequest
    const request = trace?.traceParent === undefined ? asked : { ...asked, traceParent: trace.traceParent }
    connection
      .ask(request, this.#group)
      .then((response) => {
        const heardAt = clock.now()
        const tookMs = heardAt - started
        this.heardAt[index] = heardAt
        const said = response.kind === 'fault' ? response : this.#hear(index, response)
        return whenKnown<Reply, void>(said, (reply) => {
          connection.record(
            usabilityOfReply(reply, response),
            Math.max(0, tookMs - turnMs),
            this.#wanted.kind,
          )
          const { signal } = this.#group
          if (signal.aborted) return hearing.failed(signal.reason)
          this.#tell(index, reply, tookMs / 1000)
          trace?.heard(outcomeOf(reply), exchangeOf(response))
          if (this.#isPutOff(index, response)) {
            this.turns.putOff(index, () => this.#ask(index, hearing, reason))
            hearing.paused(index)
          } else hearing.heard(index, reply)
        })
      })
      .catch((why: unknown) => {
        trace?.abandoned()
        hearing.failed(why)
      })
  }

  #isPutOff(index: number, response: ScanResponse): boolean {
    if (response.kind === 'fault' || (response.status !== 429 && response.status !== 503)) return false
    return this.plan.verdict === undefined && this.turns.mayPutOff(index, this.#deadline)
  }

  /**
   * After some of the agreed reads (`auditShare`), asks one more random voter, for evidence and
   * health. The request is sent in a later turn of the event loop, so that the caller gets its
   * answer first.
   */
  #audit(): void {
    const { clock, random } = this.#deps
    const isDrawn = this.plan.verdict?.kind === 'agreed' && random() < this.#options.auditShare
    const voter = isDrawn ? this.#selection.drawAudited(this.plan.unasked, this.#wanted, random) : undefined
    if (voter === undefined) return this.#close()
    this.plan.audit(voter)
    const hearing: Hearing = {
      heard: (_, reply) => {
        this.plan.reply(voter, reply)
        this.#close()
      },
      paused: () => {},
      late: () => {},
      failed: () => this.#abort(),
    }
    clock.after(0, () => this.#send(voter, hearing, 'audit'))
  }

  #tell(index: number, reply: Reply, seconds: number): void {
    const { events } = this.#deps
    const sv = this.roster.voters[index]?.names[0] as string
    this.seconds[index] = seconds
    events.forSuperValidator(sv).asked(outcomeOf(reply), seconds)
    if (reply.kind !== 'abstention') return
    if (lacksPath(reply.reason)) this.connections[index]?.doubtRelease()
    if (!isKnownAbstention(reply.reason)) events.unknownRefusal(this.read.id, sv, reply.reason)
  }

  #hear(index: number, response: Extract<ScanResponse, { kind: 'response' }>): MaybePromise<Reply> {
    return whenKnown(this.ballots.hear(index, response.status, response.body), ({ reply, kept }) => {
      if (kept && !this.#isOver) this.#kept.push(response)
      else response.release()
      return reply
    })
  }

  #release(): void {
    this.#isOver = true
    this.#over.resolve()
    this.#releaseUnheld()
  }

  #releaseUnheld(): void {
    if (!this.#isOver || this.#holders > 0) return
    for (const response of this.#kept.splice(0)) response.release()
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
  readonly #clock: Clock
  readonly #waiting = new Map<number, () => void>()
  /**
   * The voters whose reply to this read asked for a pause. The daemon asks each of them again after
   * the pause, but only once.
   */
  readonly #putOff = new Set<number>()

  constructor(connections: readonly (Connection | undefined)[], wanted: PeerCriteria, clock: Clock) {
    this.#connections = connections
    this.#wanted = wanted
    this.#clock = clock
  }

  waitMs(voter: number, now = this.#clock.now()): number {
    return this.#connections[voter]?.rateLimit.waitMs(this.#wanted.ingress, now) ?? 0
  }

  lateMs(voter: number): number {
    return this.waitMs(voter) + (this.#connections[voter]?.health.lateMs(this.#wanted.kind) ?? 0)
  }

  mustWait(voter: number, deadline: number): boolean {
    const refuses = this.#connections[voter]?.rateLimit.refuses(this.#wanted.ingress) === true
    return refuses && this.#isTimeFor(voter, deadline)
  }

  /**
   * Whether the voter asked for a pause that ends early enough for a second request before the
   * deadline. True at most once for each voter and read.
   */
  mayPutOff(voter: number, deadline: number): boolean {
    const isPaused = this.#connections[voter]?.rateLimit.isPaused === true
    return isPaused && !this.#putOff.has(voter) && this.#isTimeFor(voter, deadline)
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

  #isTimeFor(voter: number, deadline: number): boolean {
    return this.#clock.now() + this.lateMs(voter) <= deadline
  }
}
