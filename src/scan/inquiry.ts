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
import { Ballots, isUnknownRefusal } from './ballots.ts'
import { AlikeBodies } from './body-deduplication.ts'
import type { Connection, Connections } from './connections.ts'
import { fanOut, type Hearing } from './fanout.ts'
import type { JudgeThread } from './judge-thread.ts'
import type { ScanRequest, ScanResponse } from './node.ts'
import type { Wanted } from './peer-selection.ts'
import { ingressOf } from './rate-limit.ts'
import { Turns } from './rate-limit-turns.ts'
import { RequestGroup } from './request-group.ts'
import type { Roster, RosterVoter } from './roster.ts'
import { type RequestLimits, requestOf } from './scan-request.ts'
import { usabilityOfReply } from './usability.ts'

export interface InquiryOptions extends RequestLimits {
  readonly fanout: Fanout
  readonly deadlineMs: number
  /** The share of agreed reads, from 0 to 1, after which the daemon asks one more voter, for evidence. */
  readonly auditShare: number
  /** Whether at least 2f+1 equal votes are needed, whatever threshold is configured. False by default. */
  readonly strict?: boolean
  /** Whether answers contain their provenance, for receipts. False by default. */
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
 * A read is `small` if its bodies may have at most this many bytes. All small reads of a scan share one record of reply
 * times, because a short body hardly affects the time.
 */
const smallBytes = 65_536

/**
 * If a body of a read may have at least this many bytes, its bodies are compared while they arrive, and equal ones are
 * stored once (`AlikeBodies`). Shorter bodies mostly arrive in one piece, so this would save nothing.
 */
const alikeFromBytes = 1_048_576

type Releasable = Pick<Extract<ScanResponse, { kind: 'response' }>, 'release'>

/** Puts one question to the roster, and collects the replies, the votes and the verdict. An inquiry runs once. */
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
  /** The number of `hold` calls whose result is not disposed of yet. */
  #holders = 0
  #isOver = false
  /** The time at which the read must have a verdict, as a value of `Clock.now()`. `run` sets it from `deadlineMs`. */
  #deadline = Number.POSITIVE_INFINITY
  /** The time at which the latest reply of each voter arrived, as a value of `Clock.now()`, by voter index. */
  readonly heardAt: number[] = []
  /**
   * The time of the latest request to each voter, as a value of `Clock.now()`, by voter index. It is a future time if
   * the rate limit delays the request.
   */
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
   * Asks the question. Resolves with the verdict as soon as there is one. Rejects only when `signal` aborts, which also
   * ends the requests that are still in flight.
   * @param closed called after the last reply, including that of an audit. The bodies are then released, unless `hold`
   * keeps them.
   * @param aborted called instead of `closed` if the signal aborts first.
   * @param trace records the requests, and gives each its trace parent.
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
   * Keeps the bodies of the replies in memory until the returned object is disposed of. Without `hold`, they are
   * released right after the callback `closed` of `run`. Code that uses them later must call `hold` before `run`, or in
   * that callback.
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

  /**
   * Records in the voter's health that its reply is late. Does nothing if the request still waits for its turn
   * (`Turns`).
   */
  #tellLate(index: number): void {
    const askedAt = this.#askedAt[index]
    if (askedAt !== undefined) this.#connections[index]?.health.late(askedAt)
  }

  /**
   * The number of voters that gave a vote, or may still give one before the deadline. A voter without a reply counts
   * only if its scan is not known to be unreachable.
   */
  get usable(): number {
    const isOpen = this.#deps.clock.now() < this.#deadline
    const mayAnswer = (index: number) => isOpen && this.#connections[index]?.health.reachable !== false
    return this.plan.heard.filter((reply, index) => (reply === undefined ? mayAnswer(index) : counts(reply)))
      .length
  }

  /**
   * Looks at the voters that were not asked because of a rate limit or a pause. Returns for each of them the
   * milliseconds until it may be asked, in ascending order. Voters that an operator set aside are left out.
   */
  heldBack(): readonly number[] {
    const waits = this.plan.heard.flatMap((reply, index) => {
      if (reply?.kind !== 'fault' || reply.fault !== 'held-back' || this.aside.includes(index)) return []
      return this.#turns.waitMs(index)
    })
    return waits.sort((a, b) => a - b)
  }

  /**
   * Asks the voter now, or, if its rate limit or a pause forbids that, as soon as they permit it. If the reply could
   * then come only after the deadline, the request is not sent and fails as `held-back`.
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
   * Ends the inquiry. After some of the agreed reads (`auditShare`), first asks one more random voter, for evidence and
   * health. The daemon audits only voters whose rate limit leaves plenty of requests (`hasPlenty`). It sends the
   * request in a later turn of the event loop, so that the caller gets its answer first.
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
   * Asks the scans that replied which history they hold, if the replies differ. They may differ because some scans have
   * not loaded the requested part, or have pruned it.
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

/** Whether the reply may depend on the history that the scan holds. Of the faults, only `server-error` may. */
function isAboutIt(reply: Reply | undefined): reply is Reply {
  return reply !== undefined && (reply.kind !== 'fault' || reply.fault === 'server-error')
}

function differ([first, ...others]: readonly Reply[]): boolean {
  return others.some((reply) => reply.kind !== first?.kind || voteOf(reply) !== voteOf(first))
}

function voteOf(reply: Reply): string | undefined {
  return reply.kind === 'value' || reply.kind === 'refusal' ? reply.vote : undefined
}
