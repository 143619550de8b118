import type { Clock } from '../lib/clock.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { Random } from '../lib/random.ts'
import type { Electorate } from '../quorum/electorate.ts'
import { type Fanout, Plan } from '../quorum/plan.ts'
import type { FaultKind, Reply } from '../quorum/reply.ts'
import { counts } from '../quorum/tally.ts'
import type { Verdict } from '../quorum/verdict.ts'
import type { Question, Read } from '../reads/read.ts'
import type { AskReason, Exchange, ReadTrace } from '../telemetry/traces.ts'
import { AlikeBodies } from './alike-bodies.ts'
import { Ballots, isUnknownRefusal } from './ballots.ts'
import type { Connection, Connections } from './connections.ts'
import { fanOut, type Hearing } from './fanout.ts'
import type { JudgeThread } from './judge-thread.ts'
import type { ScanRequest, ScanResponse } from './node.ts'
import { ingressOf } from './rate-limit.ts'
import { RequestGroup } from './request-group.ts'
import type { Roster, RosterVoter } from './roster.ts'
import { type RequestLimits, requestOf } from './scan-request.ts'
import type { Wanted } from './selection.ts'
import { Turns } from './turns.ts'
import { usabilityOfReply } from './usability.ts'

export interface InquiryOptions extends RequestLimits {
  readonly fanout: Fanout
  readonly deadlineMs: number
  /** The share of agreed reads, from 0 to 1, after which the daemon also asks one more voter, for evidence. */
  readonly auditShare: number
  /** If true, at least 2f+1 equal votes are needed, whatever threshold is configured. */
  readonly strict?: boolean
  /** Whether answers record who said what, for receipts. */
  readonly keepsProvenance?: boolean
  /** Texts of a 404 that mean absence, by read id, in addition to those that the reads define. */
  readonly absentTexts: Readonly<Record<string, readonly string[]>>
}

/** Events that an inquiry reports while it runs. */
export interface InquiryEvents {
  heard(
    voter: RosterVoter,
    outcome: 'value' | 'refusal' | 'abstention' | FaultKind,
    seconds: number,
    read: Read,
  ): void
  unknownRefusal(voter: RosterVoter, text: string, read: Read): void
}

export interface InquiryDeps {
  readonly clock: Clock
  readonly random: Random
  readonly connections: Connections
  readonly events: InquiryEvents
  readonly judge: JudgeThread
}

/**
 * A read is `small` if its answers have at most this many bytes. All small reads share one record of reply
 * times, because their size hardly affects the time.
 */
const smallBytes = 65_536

/**
 * If the body limit of a read is at least this many bytes, its bodies are compared chunk by chunk as they arrive.
 * Smaller bodies mostly arrive whole.
 */
const alikeFromBytes = 1_048_576

type Releasable = Pick<Extract<ScanResponse, { kind: 'response' }>, 'release'>

/** Asks the roster one question, once, and collects the replies, the votes and the verdict. */
export class Inquiry {
  readonly question: Question
  readonly read: Read
  readonly roster: Roster
  readonly electorate: Electorate
  readonly ballots: Ballots
  readonly plan: Plan
  readonly #options: InquiryOptions
  readonly #deps: InquiryDeps
  readonly #connections: readonly (Connection | undefined)[]
  /** The indices of the voters that an operator set aside. */
  readonly aside: readonly number[]
  readonly #request: ScanRequest
  readonly #wanted: Wanted
  /** Responses whose body bytes are still in use. */
  readonly #kept: Releasable[] = []
  /** The number of callers that still use the bodies. */
  #holders = 0
  #isOver = false
  /** The value of `Clock.now()` at which the read's time is up. `run` sets it from `deadlineMs`. */
  #deadline = Number.POSITIVE_INFINITY
  /** When the latest reply of each voter arrived, on `Clock.now()`, by voter index. */
  readonly heardAt: number[] = []
  /** When the daemon sent the latest request to each voter, by voter index. */
  readonly #askedAt: number[] = []
  readonly #turns: Turns
  #trace: ReadTrace | undefined

  constructor(question: Question, roster: Roster, options: InquiryOptions, deps: InquiryDeps) {
    const { read, params } = question
    this.question = question
    this.read = read
    this.roster = roster
    this.#options = options
    this.#deps = deps
    this.electorate = options.strict ? roster.strictElectorate(read.id) : roster.electorate(read.id)
    this.ballots = new Ballots(question, {
      absentTexts: options.absentTexts[read.id],
      judge: { thread: deps.judge, nameOf: (voter) => roster.voters[voter]?.names[0] as string },
    })
    const request = requestOf(question, options)
    this.#request = request.maxBytes < alikeFromBytes ? request : { ...request, alike: new AlikeBodies() }
    const { connections, aside, selection } = deps.connections.ofRoster(roster)
    this.aside = aside
    this.#connections = connections
    this.#wanted = {
      kind: request.maxBytes <= smallBytes ? 'small' : read.id,
      ingress: ingressOf(request),
      holding: read.holders?.of(params),
    }
    this.#turns = new Turns(connections, this.#wanted, deps.clock)
    const policy = { agree: read.agree.on, patient: false, provable: read.proves !== undefined }
    const chosen = selection.choose(this.electorate, this.#wanted, deps.random)
    this.plan = new Plan(this.electorate, policy, { fanout: options.fanout, aside, ...chosen })
  }

  get keepsProvenance(): boolean {
    return this.#options.keepsProvenance === true
  }

  /**
   * Asks the question. Resolves with the verdict as soon as there is one. Rejects only when `signal` aborts, which
   * also ends the requests still in flight.
   * @param closed called after the last reply. Then the memory of the bodies is given back to the budgets, unless a
   * caller holds them.
   * @param aborted called instead of `closed` if the signal aborts first.
   * @param trace records the requests; each request carries its own trace parent.
   */
  run(signal: AbortSignal, closed: () => void, aborted: () => void, trace?: ReadTrace): Promise<Verdict> {
    this.#trace = trace
    const group = new RequestGroup(signal, this.#deps.clock)
    const { clock } = this.#deps
    const { deadlineMs } = this.#options
    this.#deadline = clock.now() + deadlineMs
    const end = {
      closed: () => {
        closed()
        this.#release()
        this.#learn()
      },
      aborted: () => {
        aborted()
        trace?.abandoned()
        this.#turns.stop()
        this.#release()
      },
    }
    let hearing: Hearing | undefined
    return fanOut(
      {
        plan: this.plan,
        ask: (voter, told, reason) => {
          hearing = told
          this.#ask(voter, group, told, reason)
        },
        lateMs: (voter) => this.#turns.lateMs(voter),
        late: (voter) => this.#tellLate(voter),
        deadlineMs,
        signal,
        settled: () => {
          for (const [voter, reply] of this.#turns.stop()) hearing?.heard(voter, reply)
        },
        closed: () => this.#audit(group, end),
        aborted: end.aborted,
      },
      clock,
    )
  }

  /**
   * Keeps the bodies in the budgets for memory until the result is disposed of. Call it before `run`, or in `closed`, to
   * compare the bodies or to make an answer of them afterwards.
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

  /** Records in the voter's health that its reply is late, unless the request has not been sent yet. */
  #tellLate(index: number): void {
    const askedAt = this.#askedAt[index]
    if (askedAt !== undefined) this.#connections[index]?.health.late(askedAt)
  }

  /**
   * The number of voters that gave a vote, or may still give one before the deadline. A voter whose latest counted
   * reply was a failure does not count until it answers again.
   */
  get usable(): number {
    const isOpen = this.#deps.clock.now() < this.#deadline
    const mayAnswer = (index: number) => isOpen && this.#connections[index]?.health.reachable !== false
    return this.plan.heard.filter((reply, index) => (reply === undefined ? mayAnswer(index) : counts(reply)))
      .length
  }

  /**
   * Returns the waiting times of the voters that were not asked because of a rate limit or a pause. Each is
   * the number of milliseconds until the daemon may ask the voter. They are in ascending order.
   */
  heldBack(): readonly number[] {
    const waits = this.plan.heard.flatMap((reply, index) => {
      if (reply?.kind !== 'fault' || reply.fault !== 'held-back' || this.aside.includes(index)) return []
      return this.#turns.waitMs(index)
    })
    return waits.sort((a, b) => a - b)
  }

  /**
   * Asks the voter at once. If a rate limit forbids that now, but permits it early enough for a reply before the
   * deadline, waits until then.
   */
  #ask(index: number, group: RequestGroup, hearing: Hearing, reason: AskReason): void {
    if (this.#turns.mustWait(index, this.#deadline)) {
      this.#turns.wait(index, () => this.#ask(index, group, hearing, reason))
    } else this.#send(index, group, hearing, reason)
  }

  #send(index: number, group: RequestGroup, hearing: Hearing, reason: AskReason): void {
    const { clock } = this.#deps
    const started = clock.now()
    const connection = this.#connections[index] as Connection
    const turnMs = this.#turns.waitMs(index)
    this.#askedAt[index] = started + turnMs
    connection.health.asked(started)
    const trace = this.#trace?.ask(this.roster.voters[index]?.names[0] as string, reason)
    const asked = this.#request
    const request = trace?.traceParent === undefined ? asked : { ...asked, traceParent: trace.traceParent }
    connection.node.ask(request, group).then(
      (response) => {
        const heardAt = clock.now()
        const tookMs = heardAt - started
        this.heardAt[index] = heardAt
        const said = response.kind === 'fault' ? response : this.#hear(index, response)
        void whenKnown<Reply, void>(said, (reply) => {
          connection.heard(usabilityOfReply(reply), Math.max(0, tookMs - turnMs), this.#wanted.kind)
          if (group.signal.aborted) return hearing.failed(group.signal.reason)
          this.#tell(index, reply, tookMs / 1000)
          trace?.heard(outcomeOf(reply), exchangeOf(response))
          if (this.#isPutOff(index, response)) {
            this.#turns.putOff(index, () => this.#ask(index, group, hearing, reason))
            hearing.paused(index)
          } else hearing.heard(index, reply)
        })
      },
      trace === undefined
        ? (why) => hearing.failed(why)
        : (why) => {
            trace.abandoned()
            hearing.failed(why)
          },
    )
  }

  /** Whether the voter asked for a pause and will be asked again after it. */
  #isPutOff(index: number, response: ScanResponse): boolean {
    if (response.kind === 'fault' || (response.status !== 429 && response.status !== 503)) return false
    return this.plan.verdict === undefined && this.#turns.mayPutOff(index, this.#deadline)
  }

  /**
   * After a share of the agreed reads, asks one random voter that was not asked, for evidence and health. Then ends
   * the inquiry.
   */
  #audit(group: RequestGroup, end: { readonly closed: () => void; readonly aborted: () => void }): void {
    const voter = this.#drawAudited()
    if (voter === undefined) return end.closed()
    this.plan.audit(voter)
    const hearing: Hearing = {
      heard: (_, reply) => {
        this.plan.reply(voter, reply)
        end.closed()
      },
      paused: () => {},
      failed: end.aborted,
    }
    this.#deps.clock.after(0, () => this.#send(voter, group, hearing, 'audit'))
  }

  #drawAudited(): number | undefined {
    const { random } = this.#deps
    if (this.plan.verdict?.kind !== 'agreed' || random() >= this.#options.auditShare) return undefined
    const free = this.plan.unasked.filter(
      (voter) => this.#connections[voter]?.rateLimit.hasPlenty(this.#wanted.ingress) === true,
    )
    return free[Math.floor(random() * free.length)]
  }

  #tell(index: number, reply: Reply, seconds: number): void {
    const { events } = this.#deps
    const voter = this.roster.voters[index] as RosterVoter
    events.heard(voter, outcomeOf(reply), seconds, this.read)
    if (isUnknownRefusal(reply)) events.unknownRefusal(voter, reply.reason, this.read)
  }

  #hear(index: number, response: Extract<ScanResponse, { kind: 'response' }>): MaybePromise<Reply> {
    return whenKnown(this.ballots.hear(index, response.status, response.body), ({ reply, kept }) => {
      if (kept && !this.#isOver) this.#kept.push(response)
      else response.release()
      return reply
    })
  }

  /**
   * If the replies differ, asks the scans that replied which history they hold: some may not have loaded the
   * requested part.
   */
  #learn(): void {
    const { connections } = this.#deps
    const { holding } = this.#wanted
    if (holding === undefined || !differ(this.plan.heard.filter(isAboutIt))) return
    for (const [index, reply] of this.plan.heard.entries()) {
      const connection = this.#connections[index]
      if (isAboutIt(reply) && connection !== undefined) void connections.learn(connection, holding)
    }
  }

  #release(): void {
    this.#isOver = true
    this.#releaseUnheld()
  }

  #releaseUnheld(): void {
    if (!this.#isOver || this.#holders > 0) return
    for (const response of this.#kept.splice(0)) response.release()
  }
}

function outcomeOf(reply: Reply): Exclude<Reply['kind'], 'fault'> | FaultKind {
  return reply.kind === 'fault' ? reply.fault : reply.kind
}

function exchangeOf(response: ScanResponse): Exchange {
  const { resent = false } = response
  return response.kind === 'fault'
    ? { status: undefined, bytes: undefined, resent }
    : { status: response.status, bytes: response.body.length, resent }
}

/** Whether the scan itself replied. Of the faults, only `server-error` counts as such a reply. */
function isAboutIt(reply: Reply | undefined): reply is Reply {
  return reply !== undefined && (reply.kind !== 'fault' || reply.fault === 'server-error')
}

function differ([first, ...others]: readonly Reply[]): boolean {
  return others.some((reply) => reply.kind !== first?.kind || voteOf(reply) !== voteOf(first))
}

function voteOf(reply: Reply): string | undefined {
  return reply.kind === 'value' || reply.kind === 'refusal' ? reply.vote : undefined
}
