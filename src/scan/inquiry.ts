import type { AbortNotice } from '../lib/abort.ts'
import type { Clock } from '../lib/clock.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { Random } from '../lib/random.ts'
import { drawOrder, winningLength } from '../quorum/draw.ts'
import type { Electorate } from '../quorum/electorate.ts'
import { type Fanout, Plan } from '../quorum/plan.ts'
import type { FaultKind, Reply } from '../quorum/reply.ts'
import type { Verdict } from '../quorum/verdict.ts'
import type { Holding, Params, Read } from '../reads/read.ts'
import { upstreamOf } from '../reads/request.ts'
import type { AskReason, Exchange, ReadTrace } from '../telemetry/traces.ts'
import { AlikeBodies } from './alike-bodies.ts'
import { Ballots, isUnknownRefusal } from './ballots.ts'
import type { Connection, Connections } from './connections.ts'
import { fanOut } from './fanout.ts'
import type { JudgeThread } from './judge-thread.ts'
import type { ScanRequest, ScanResponse } from './node.ts'
import { type Ingress, ingressOf } from './pace.ts'
import type { Roster, RosterVoter } from './roster.ts'

export interface InquiryOptions {
  readonly fanout: Fanout
  readonly requestTimeoutMs: number
  readonly deadlineMs: number
  /** Caps every row's own `maxBytes`. */
  readonly maxResponseBytes: number
  /** By read id: further 404 texts that mean absence. */
  readonly absentTexts: Readonly<Record<string, readonly string[]>>
}

/** What an inquiry tells while it runs. */
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

/** From this limit on bodies are compared as they arrive: below, most arrive whole. */
const alikeFromBytes = 1_048_576

type Releasable = Pick<Extract<ScanResponse, { kind: 'response' }>, 'release'>

/** One read's question, put to the roster once. */
export class Inquiry {
  readonly read: Read
  readonly params: Params
  readonly roster: Roster
  readonly electorate: Electorate
  readonly ballots: Ballots
  readonly plan: Plan
  readonly #options: InquiryOptions
  readonly #deps: InquiryDeps
  readonly #connections: readonly (Connection | undefined)[]
  readonly #request: ScanRequest
  readonly #holding: Holding | undefined
  readonly #ingress: Ingress
  readonly #hedgeMs: number
  /** Whose bytes are held on to. */
  readonly #kept: Releasable[] = []
  #isOver = false
  #trace: ReadTrace | undefined

  constructor(read: Read, params: Params, roster: Roster, options: InquiryOptions, deps: InquiryDeps) {
    this.read = read
    this.params = params
    this.roster = roster
    this.#options = options
    this.#deps = deps
    this.electorate = roster.electorate(read.id)
    this.ballots = new Ballots(read, params, {
      absentTexts: options.absentTexts[read.id],
      judge: deps.judge,
    })
    const request = requestOf(read, params, options)
    this.#request = request.maxBytes < alikeFromBytes ? request : { ...request, alike: new AlikeBodies() }
    this.#ingress = ingressOf(request)
    const { connections, preference } = deps.connections.ofRoster(roster)
    this.#connections = connections
    this.#holding = read.holders?.of(params)
    const weights = this.#holdersFirst(preference.weights(this.#ingress))
    const order = drawOrder(this.electorate, weights, deps.random)
    const first = order.slice(0, winningLength(this.electorate, order))
    this.#hedgeMs = preference.hedgeMs(first, this.electorate.superValidators.f)
    const policy = { agree: read.agree.on, patient: false, provable: read.proves !== undefined }
    this.plan = new Plan(this.electorate, policy, options.fanout, order)
  }

  /**
   * Resolves with the verdict as soon as there is one; rejects only when `signal` aborts, which ends the asks of
   * stragglers too.
   * @param closed called when the last straggler was heard; after it the ballots are of no use any more.
   * @param aborted called instead where the signal aborts before.
   * @param trace what is told of its asks; each of them carries its place in there.
   */
  run(signal: AbortNotice, closed: () => void, aborted: () => void, trace?: ReadTrace): Promise<Verdict> {
    this.#trace = trace
    return fanOut(
      {
        plan: this.plan,
        ask: (voter, heard, failed, reason) => this.#ask(voter, signal, heard, failed, reason),
        hedgeMs: this.#hedgeMs,
        deadlineMs: this.#options.deadlineMs,
        signal,
        closed: () => {
          closed()
          this.#release()
          this.#learn()
        },
        aborted: () => {
          aborted()
          trace?.abandoned()
          this.#release()
        },
      },
      this.#deps.clock,
    )
  }

  /** Of each that was not asked because of its limits: milliseconds until it may be, the shortest first. */
  heldBack(): readonly number[] {
    const waits = this.plan.heard.flatMap((reply, index) => {
      if (reply?.kind !== 'fault' || reply.fault !== 'held-back') return []
      return this.#connections[index]?.pace.waitMs(this.#ingress) ?? []
    })
    return waits.sort((a, b) => a - b)
  }

  #ask(
    index: number,
    signal: AbortNotice,
    heard: (voter: number, reply: Reply) => void,
    failed: (reason: unknown) => void,
    reason: AskReason,
  ): void {
    const { clock } = this.#deps
    const started = clock.now()
    const connection = this.#connections[index] as Connection
    connection.health.asked(started)
    const trace = this.#trace?.ask(this.roster.voters[index]?.names[0] as string, reason)
    const asked = this.#request
    const request = trace === undefined ? asked : { ...asked, traceParent: trace.traceParent }
    connection.node.ask(request, signal).then(
      (response) => {
        const tookMs = clock.now() - started
        connection.heard(response, tookMs)
        const said = response.kind === 'fault' ? response : this.#hear(index, response)
        void whenKnown<Reply, void>(said, (reply) => {
          if (signal.aborted) return failed(signal.reason)
          this.#tell(index, reply, tookMs / 1000)
          trace?.heard(outcomeOf(reply), exchangeOf(response))
          heard(index, reply)
        })
      },
      trace === undefined
        ? failed
        : (why) => {
            trace.abandoned()
            failed(why)
          },
    )
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

  /** Whoever says that it does not have what is asked comes after all who can be asked. */
  #holdersFirst(weights: readonly number[]): readonly number[] {
    const holding = this.#holding
    if (holding === undefined) return weights
    const now = this.#deps.clock.now()
    return weights.map((weight, index) =>
      this.#connections[index]?.holdings.lacks(holding, now) ? weight * withoutIt : weight,
    )
  }

  /** Where replies differ, it may be because some have not loaded what was asked. */
  #learn(): void {
    const { connections } = this.#deps
    if (this.#holding === undefined || !differ(this.plan.heard.filter(isAboutIt))) return
    for (const [index, reply] of this.plan.heard.entries()) {
      const connection = this.#connections[index]
      if (isAboutIt(reply) && connection !== undefined) void connections.learn(connection, this.#holding)
    }
  }

  #release(): void {
    this.#isOver = true
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

/** Of the weight of one that can be asked and has not what is asked: small, and more than that of one that cannot. */
const withoutIt = 1e-6

/** Whether a node answered, whatever it said. */
function isAboutIt(reply: Reply | undefined): reply is Reply {
  return reply !== undefined && (reply.kind !== 'fault' || reply.fault === 'server-error')
}

function differ([first, ...others]: readonly Reply[]): boolean {
  return others.some((reply) => reply.kind !== first?.kind || voteOf(reply) !== voteOf(first))
}

function voteOf(reply: Reply): string | undefined {
  return reply.kind === 'value' || reply.kind === 'refusal' ? reply.vote : undefined
}

/** What every scan is asked for one read. */
export function requestOf(
  read: Read,
  params: Params,
  { requestTimeoutMs, maxResponseBytes }: Pick<InquiryOptions, 'requestTimeoutMs' | 'maxResponseBytes'>,
): ScanRequest {
  const upstream = upstreamOf(read, params)
  return { ...upstream, maxBytes: Math.min(upstream.maxBytes, maxResponseBytes), timeoutMs: requestTimeoutMs }
}
