import { isJsonObject } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { FaultKind, Item, Reply, Step } from '../quorum/reply.ts'
import { refusalStatuses, valueStatus } from '../reads/answer-status.ts'
import { knownAbstentions, lacksHistory, type Question } from '../reads/read.ts'
import { type AbsentText, absentTextsOf } from '../reads/request.ts'
import { JudgeFailed, type JudgeThread } from './judge-thread.ts'
import { type Judgement, judgeBody, type Printed, printed, type ServedPart, tryParse } from './judgement.ts'
import { differInOwnTextsOnly, ownTextsIn } from './own-texts.ts'
import { type Body, RefusalStatement, type Statement, UnparsedValue, ValueStatement } from './statement.ts'

/**
 * The status with which a scan answers while it has not loaded the history. An overloaded scan answers with it too, so
 * the text of the body decides (`abstentionOr`).
 */
const unavailableStatus = 503

/** The maximum size of a refusal's body in bytes. The refusals of honest scans are far shorter. */
const longestRefusal = 65_536
/**
 * The maximum size of a body that the main thread judges, in bytes. To transfer such a short body to the
 * judge thread would cost more than to judge it.
 */
const longestHere = 65_536

export interface BallotsOptions {
  /**
   * Texts of a 404 that mean absence, in addition to those of the read. A text may contain parameters, such as
   * `{name}`, and end with `*`, which matches any further text.
   */
  readonly absentTexts?: readonly string[] | undefined
  /** Judges long bodies. If absent, the main thread judges all bodies. */
  readonly judge?: LongBodiesJudge | undefined
}

/**
 * The judge thread, with the names of the voters. The thread measures under these names how much of its time each
 * voter's bodies take.
 */
export interface LongBodiesJudge {
  readonly thread: JudgeThread
  /**
   * Returns a name for the voter with this index. Unlike the index, the name stays the same when the roster
   * changes.
   */
  nameOf(voter: number): string
}

/**
 * The reply that a response counts as. If `kept` is true, the answer or the evidence may need the bytes of the
 * response. Otherwise the caller may release them at once.
 */
export interface HeardResponse {
  readonly reply: Reply
  readonly kept: boolean
}

/**
 * Turns the responses to one question into replies that can be counted. Bodies with equal bytes are parsed once.
 * Canonical forms are computed only if two bodies differ (quorum.md#comparing-votes).
 */
export class Ballots {
  readonly #question: Question
  readonly #addedAbsentTexts: readonly string[]
  readonly #judge: LongBodiesJudge | undefined
  #absent: readonly AbsentText[] | undefined
  readonly #bodies: Body[] = []
  readonly #statements = new Map<string, Statement>()
  #votes = 0

  constructor(question: Question, { absentTexts = [], judge }: BallotsOptions = {}) {
    this.#question = question
    this.#addedAbsentTexts = absentTexts
    this.#judge = judge
  }

  /**
   * Returns the reply that a response counts as. The result is a promise if the judge thread has to work on the body;
   * that promise never rejects.
   */
  hear(voter: number, status: number, bytes: Buffer): MaybePromise<HeardResponse> {
    const known = this.#bodies.find((body) => body.status === status && saysTheSame(body, bytes))
    if (known !== undefined) {
      known.voters.push(voter)
      return whenKnown(known.reply, letGo)
    }
    const body: Body = {
      status,
      bytes,
      reply: unheard,
      verbatim: false,
      digest: undefined,
      endsAt: undefined,
      version: undefined,
      spans: undefined,
      voters: [voter],
    }
    this.#bodies.push(body)
    body.reply = this.#interpret(body, voter)
    return whenKnown(body.reply, (reply) => {
      body.reply = reply
      const kept = reply.kind === 'value' || reply.kind === 'refusal'
      if (!kept) this.#bodies.splice(this.#bodies.indexOf(body), 1)
      return { reply, kept }
    })
  }

  /**
   * Returns the value or the refusal that a vote stands for.
   * @param vote the vote of a reply that `hear` returned.
   */
  statement(vote: string): Statement {
    const statement = this.#statements.get(vote)
    if (statement === undefined) throw new Error(`no such vote: ${vote}`)
    return statement
  }

  /**
   * Returns the SHA-256 of the bytes that a voter sent as its vote, base64url. Undefined if the voter gave no vote.
   * Also undefined if the daemon kept another voter's bytes instead, which may differ in the texts that identify the
   * node itself (`Read.ownTexts`).
   */
  digestOf(voter: number): string | undefined {
    const body = this.#bodies.find(({ voters }) => voters.includes(voter))
    if (body === undefined || (body.spans !== undefined && body.voters[0] !== voter)) return undefined
    body.digest ??= digest(body.bytes)
    return body.digest
  }

  /**
   * Computes `comparison` of all statements. Resolves when all have it; returns undefined if all have it
   * already.
   */
  compare(): Promise<unknown> | undefined {
    return this.#compare([...this.#statements.values()])
  }

  /**
   * Encodes the part of the statements that is served, as the body of an answer.
   * @param vote the winning vote; undefined for a list that was agreed item by item, whose items may be from several
   * statements.
   * @throws JudgeFailed The returned promise rejects with it.
   */
  print(vote: string | undefined, choice: ServedPart): MaybePromise<Printed> {
    const all = vote === undefined ? [...this.#statements.values()] : [this.statement(vote)]
    const values = all.filter((statement) => statement.kind === 'value' && hasParts(statement, choice))
    if (values.every((statement) => statement instanceof ValueStatement)) {
      return printed(
        this.#question,
        values.map(({ value }) => value),
        choice,
      )
    }
    const [first] = values
    if (choice.on === 'whole' && first instanceof UnparsedValue && first.printed !== undefined)
      return first.printed
    const bodies = values.map((statement) => (statement.bodies[0] as Body).bytes)
    return (this.#judge as LongBodiesJudge).thread.print(this.#question, bodies, choice)
  }

  #interpret(body: Body, voter: number): MaybePromise<Reply> {
    const { status, bytes } = body
    if (status === valueStatus) return this.#interpretValue(body, voter)
    if (status === unavailableStatus && this.#question.read.holders !== undefined) return abstentionOr(bytes)
    if (!refusalStatuses.has(status)) return fault(faultOfStatus(status))
    if (bytes.length > longestRefusal) return fault('oversized')
    const refusal = this.#interpretRefusal(status, bytes)
    if (!(refusal instanceof RefusalStatement)) return refusal
    refusal.bodies.push(body)
    return whenKnown(this.#voteFor(refusal), (vote) => ({ kind: 'refusal', vote }))
  }

  #interpretValue(body: Body, voter: number): MaybePromise<Reply> {
    const judge = this.#judge
    if (judge !== undefined && body.bytes.length > longestHere)
      return this.#judgedElsewhere(body, judge.nameOf(voter), judge.thread)
    const judgement = judgeBody(this.#question, body.bytes)
    if (judgement.kind !== 'value') return judgement
    return this.#counted(body, new ValueStatement(this.#question, judgement.value), judgement)
  }

  async #judgedElsewhere(body: Body, voter: string, judge: JudgeThread): Promise<Reply> {
    try {
      const judged = await judge.judge(this.#question, body.bytes, voter)
      if (judged.kind !== 'value') return judged
      body.digest = judged.digest
      const { bytes } = body
      const statement = new UnparsedValue(this.#question, { bytes, printed: judged.printed, voter }, judge)
      return await this.#counted(body, statement, judged)
    } catch (error) {
      if (error instanceof JudgeFailed) return fault('misshapen')
      throw error
    }
  }

  #counted(
    body: Body,
    statement: Statement,
    { proven, rank, verbatim, endsAt, version }: Omit<Extract<Judgement, { kind: 'value' }>, 'value'>,
  ): MaybePromise<Reply> {
    const { ownTexts, agree } = this.#question.read
    body.verbatim = verbatim
    body.endsAt = endsAt
    body.version = version
    if (ownTexts !== undefined) body.spans = ownTextsIn(body.bytes, ownTexts)
    statement.bodies.push(body)
    return whenKnown(this.#voteFor(statement), (vote): Reply => {
      if (proven) return { kind: 'value', vote, proven }
      if (rank !== undefined) return { kind: 'value', vote, rank }
      return agree.on === 'whole' ? { kind: 'value', vote } : new PartsReply(vote, this.statement(vote))
    })
  }

  #interpretRefusal(status: number, bytes: Buffer): Reply | RefusalStatement {
    if (status === 404 && bytes.length === 0 && this.#question.read.absent.includes(''))
      return this.#absence('')
    const text = errorIn(bytes)
    if (typeof text !== 'string') return text
    return status === 404 ? this.#absence(text) : new RefusalStatement(status, text)
  }

  #absence(said: string): Reply | RefusalStatement {
    this.#absent ??= absentTextsOf(this.#question, this.#addedAbsentTexts)
    const isKnown = isKnownAbstention(said)
    const means = ({ text, isOpen }: AbsentText) =>
      isOpen ? !isKnown && said.startsWith(text) : said === text
    const [absent] = this.#absent
    if (absent !== undefined && this.#absent.some(means)) return new RefusalStatement(404, absent.text)
    return { kind: 'abstention', reason: said.slice(0, 200) }
  }

  /**
   * Returns the vote of the stored statement that equals this one. If there is none, stores this one, and returns a new
   * vote.
   */
  #voteFor(statement: Statement): MaybePromise<string> {
    const rivals = this.#rivalsOf(statement)
    if (rivals.length === 0) return this.#newVote(statement)
    const comparing = this.#compare([statement, ...rivals])
    return comparing === undefined
      ? this.#compared(statement)
      : comparing.then(() => this.#compared(statement))
  }

  /**
   * Does the work of `#voteFor` once `comparison` is known. All stored statements of the same kind have a comparison
   * here: the first of that kind got it when the second arrived, and every later one when it arrived itself.
   */
  #compared(statement: Statement): string {
    for (const [vote, other] of this.#statements) {
      if (other.kind !== statement.kind || other.comparison?.digest !== statement.comparison?.digest) continue
      other.bodies.push(...statement.bodies)
      return vote
    }
    return this.#newVote(statement)
  }

  #newVote(statement: Statement): string {
    const vote = String(this.#votes++)
    this.#statements.set(vote, statement)
    return vote
  }

  #rivalsOf({ kind }: Statement): readonly Statement[] {
    const rivals: Statement[] = []
    for (const other of this.#statements.values()) if (other.kind === kind) rivals.push(other)
    return rivals
  }

  #compare(statements: readonly Statement[]): Promise<unknown> | undefined {
    const comparing = statements.flatMap((statement) => statement.compare() ?? [])
    return comparing.length === 0 ? undefined : Promise.all(comparing)
  }
}

/**
 * Whether the served part can be made from this statement. Items cannot be made from a body that the judge thread
 * failed to compare.
 */
function hasParts({ comparison }: Statement, { on }: ServedPart): boolean {
  return on !== 'items' || comparison?.items !== undefined
}

/** Stands in `Body.reply` only until the body is interpreted. No code reads it. */
const unheard: Reply = { kind: 'fault', fault: 'timeout' }

/** Returns the text of the error in a refusal's body, or a fault if the body contains none. */
function errorIn(bytes: Buffer): string | Extract<Reply, { kind: 'fault' }> {
  const json = tryParse(bytes, { maxElements: longestRefusal / 16 })
  if (typeof json === 'string') return fault(json)
  const text = isJsonObject(json.value) ? json.value['error'] : undefined
  return typeof text === 'string' ? text : fault('misshapen')
}

/**
 * Classifies a response with status 503: an abstention if its text says that the scan has not loaded the
 * history, else the fault `server-error`.
 */
function abstentionOr(bytes: Buffer): Reply {
  const text = bytes.length > longestRefusal ? undefined : errorIn(bytes)
  if (typeof text !== 'string' || !lacksHistory(text)) return fault(faultOfStatus(unavailableStatus))
  return { kind: 'abstention', reason: text.slice(0, 200) }
}

function letGo(reply: Reply): HeardResponse {
  return { reply, kept: false }
}

function saysTheSame({ bytes, spans }: Body, other: Buffer): boolean {
  return bytes.equals(other) || (spans !== undefined && differInOwnTextsOnly(bytes, spans, other))
}

function fault(kind: FaultKind): Extract<Reply, { kind: 'fault' }> {
  return { kind: 'fault', fault: kind }
}

/**
 * A reply that computes the items of its list, or the steps of its history, only when the plan reads them. The plan
 * does so only if replies differ.
 */
class PartsReply {
  readonly kind = 'value'
  readonly vote: string
  readonly #statement: Statement

  constructor(vote: string, statement: Statement) {
    this.vote = vote
    this.#statement = statement
  }

  get items(): readonly Item[] | undefined {
    return this.#statement.comparison?.items
  }

  get steps(): readonly Step[] | undefined {
    return this.#statement.comparison?.steps
  }
}

/**
 * Whether a reply is an abstention whose reason is not among the `knownAbstentions`, such as an unknown text of a 404.
 * An operator should read this text, because it may mean absence (quorum.md#abstentions-lower-nothing).
 */
export function isUnknownRefusal(reply: Reply): reply is Extract<Reply, { kind: 'abstention' }> {
  return reply.kind === 'abstention' && !isKnownAbstention(reply.reason)
}

function isKnownAbstention(text: string): boolean {
  return knownAbstentions.some((pattern) => pattern.test(text))
}

/**
 * Returns the fault that a response with this status counts as. The caller must have handled the statuses of values and
 * refusals before.
 */
export function faultOfStatus(status: number): FaultKind {
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 429) return 'rate-limited'
  if (status >= 300 && status < 400) return 'redirect'
  return status >= 500 ? 'server-error' : 'unexpected-status'
}
