import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { digest } from '../../base/lib/digest.ts'
import { type MaybePromise, whenKnown } from '../../base/lib/maybe-promise.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Question, Read } from '../reads/read.ts'
import { valueStatus } from '../reads/replies.ts'
import { type AbsentText, absentTextsOf } from '../reads/request.ts'
import { JudgeFailed, type JudgeThread, longestHere } from './judge-thread.ts'
import {
  type Comparison,
  comparisonOf,
  type JudgedValue,
  judgeBody,
  type Printed,
  printed,
  refusalOf,
  type ServedPart,
  wholeComparison,
} from './judgement.ts'
import type { TextsApart } from './own-texts.ts'

export interface BallotsOptions {
  /**
   * Error texts that make a 404 an absence, in addition to those of the read. A text may contain
   * parameters such as `{name}`, and end with `*`, which matches any rest.
   */
  readonly absentTexts?: readonly string[] | undefined
  readonly judge?: LongBodiesJudge | undefined
}

export interface LongBodiesJudge {
  readonly thread: JudgeThread
  /**
   * Returns the name under which the thread records how much of its time the voter's bodies take.
   * Unlike the voter's index, the name stays the same when the roster changes.
   */
  nameOf(voter: number): string
}

type NextToken = NonNullable<JudgedValue['next']>

export interface HeardResponse {
  readonly reply: Reply
  /**
   * False if neither the answer nor the evidence needs the bytes of this response. The caller may
   * then free them at once.
   */
  readonly kept: boolean
}

/**
 * Turns the HTTP responses to one question into replies. Bodies with equal bytes are parsed once.
 * Canonical JSON is computed only if two bodies differ (quorum.md#comparing-votes).
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
   * Turns one voter's response into a reply. The result is a promise if the judge thread has to work
   * on the body. The promise rejects only if this daemon has a defect.
   */
  hear(voter: number, status: number, bytes: Buffer): MaybePromise<HeardResponse> {
    const known = this.#bodies.find((body) => body.status === status && body.bytes.equals(bytes))
    if (known !== undefined) {
      known.voters.push(voter)
      return whenKnown(known.reply, letGo)
    }
    const body: Body = {
      status,
      bytes,
      reply: notJudged,
      judged: undefined,
      digest: undefined,
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

  statement(vote: string): Statement {
    const statement = this.#statements.get(vote)
    if (statement === undefined) throw new Error(`no such vote: ${vote}`)
    return statement
  }

  /**
   * Returns the SHA-256, in base64url, of the body with which this voter voted; undefined if the
   * voter sent none that counts.
   */
  digestOf(voter: number): string | undefined {
    const body = this.#bodies.find(({ voters }) => voters.includes(voter))
    if (body === undefined) return undefined
    body.digest ??= digest(body.bytes)
    return body.digest
  }

  /** Returns the tokens with which these voters continue the page that the vote stands for. */
  nextPage(vote: string, voters: readonly number[]): ReadonlyMap<number, NextToken> {
    const tokens = new Map<number, NextToken>()
    for (const { judged, voters: senders } of this.statement(vote).bodies) {
      if (judged?.next === undefined) continue
      for (const voter of senders) if (voters.includes(voter)) tokens.set(voter, judged.next)
    }
    return tokens
  }

  /**
   * Returns what is served though it took no part in the vote: what enough of these voters sent
   * alike. Undefined if that is nothing.
   * @param voters those who gave the agreed value, the agreed items, or the agreed beginning of a history.
   * @param areEnough whether these voters meet the threshold.
   */
  ownTexts(
    voters: readonly number[],
    areEnough: (some: readonly number[]) => boolean,
  ): TextsApart | undefined {
    const senders = new Map<string, Map<string, number[]>>()
    for (const { judged, voters: all } of this.#bodies) {
      const some = all.filter((one) => voters.includes(one))
      for (const [place, text] of judged?.own?.texts ?? []) {
        const byText = senders.get(place) ?? new Map<string, number[]>()
        senders.set(place, byText.set(text, [...(byText.get(text) ?? []), ...some]))
      }
    }
    const agreed = [...senders].flatMap(([place, byText]) => {
      const enough = [...byText].flatMap(([text, some]) => (areEnough(some) ? [text] : []))
      return enough
        .sort()
        .slice(0, 1)
        .map((text) => [place, text] as const)
    })
    return agreed.length === 0 ? undefined : new Map(agreed)
  }

  compare(): Promise<unknown> | undefined {
    return this.#compare([...this.#statements.values()])
  }

  /**
   * Encodes the agreed value, or the agreed part of it, as JSON.
   * @param vote the winning vote; undefined for a list that was agreed item by item, because its
   * items may come from several statements.
   * @throws JudgeFailed if the judge thread cannot encode the body: the promise rejects.
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
    if (
      choice.on === 'whole' &&
      choice.own === undefined &&
      first instanceof UnparsedValue &&
      first.printed !== undefined
    )
      return first.printed
    const bodies = values.map((statement) => (statement.bodies[0] as Body).bytes)
    return (this.#judge as LongBodiesJudge).thread.print(this.#question, bodies, choice)
  }

  #interpret(body: Body, voter: number): MaybePromise<Reply> {
    const { status, bytes } = body
    const judge = this.#judge
    if (status !== valueStatus) return this.#interpretRefusal(body)
    if (judge !== undefined && bytes.length > longestHere)
      return this.#judgedElsewhere(body, judge.nameOf(voter), judge.thread)
    const judgement = judgeBody(this.#question, bytes)
    if (judgement.kind !== 'value') return judgement
    return this.#counted(body, new ValueStatement(this.#question.read, judgement.value), judgement)
  }

  #interpretRefusal(body: Body): MaybePromise<Reply> {
    this.#absent ??= absentTextsOf(this.#question, this.#addedAbsentTexts)
    const said = refusalOf(body.status, body.bytes, this.#question.read, this.#absent)
    if (said.kind !== 'refusal') return said
    const refusal = new RefusalStatement(said.status, said.text)
    refusal.bodies.push(body)
    return whenKnown(this.#voteFor(refusal), (vote) =>
      vote === undefined ? notJudged : { kind: 'refusal', vote },
    )
  }

  async #judgedElsewhere(body: Body, voter: string, judge: JudgeThread): Promise<Reply> {
    try {
      const judged = await judge.judge(this.#question, body.bytes, voter)
      if (judged.kind !== 'value') return judged
      body.digest = judged.digest
      // The thread attributes the time that the body takes to the voter that sent it first.
      const compare = () => judge.compare(this.#question, body.bytes, voter)
      const statement = new UnparsedValue(body.bytes, judged.printed, compare)
      return await this.#counted(body, statement, judged)
    } catch (error) {
      if (error instanceof JudgeFailed)
        return error.blame === 'body' ? { kind: 'fault', fault: 'misshapen' } : notJudged
      throw error
    }
  }

  #counted(body: Body, statement: Statement, judged: JudgedValue): MaybePromise<Reply> {
    const { proven, rank, time, next, own } = judged
    const { agree } = this.#question.read
    body.judged = judged
    statement.bodies.push(body)
    return whenKnown(this.#voteFor(statement), (vote): Reply => {
      if (vote === undefined) return notJudged
      if (proven) return { kind: 'value', vote, proven }
      if (rank !== undefined) return { kind: 'value', vote, rank }
      if (time !== undefined) return { kind: 'value', vote, time }
      if (agree.on !== 'whole') return replyInParts(vote, this.statement(vote), own?.digest)
      return {
        kind: 'value',
        vote,
        ...(own && { own: own.digest }),
        ...(next && { continues: true }),
      }
    })
  }

  #voteFor(statement: Statement): MaybePromise<string | undefined> {
    const rivals = [...this.#statements.values()].filter(({ kind }) => kind === statement.kind)
    if (rivals.length === 0) return this.#newVote(statement)
    const comparing = this.#compare([statement, ...rivals])
    return comparing === undefined
      ? this.#compared(statement)
      : comparing.then(() => this.#compared(statement))
  }

  /**
   * Returns the vote of the stored statement that is equal to `statement`, or else a new vote. The
   * result is undefined if a statement that may be equal cannot be compared. Statements that another
   * call stored while `#compare` ran have their `comparison` too.
   */
  #compared(statement: Statement): string | undefined {
    let isSure = !isIncomparable(statement)
    for (const [vote, other] of this.#statements) {
      if (other.kind !== statement.kind) continue
      if (other.comparison?.digest === statement.comparison?.digest) {
        other.bodies.push(...statement.bodies)
        return vote
      }
      if (isIncomparable(other)) isSure = false
    }
    return isSure ? this.#newVote(statement) : undefined
  }

  #newVote(statement: Statement): string {
    const vote = String(this.#votes++)
    this.#statements.set(vote, statement)
    return vote
  }

  #compare(statements: readonly Statement[]): Promise<unknown> | undefined {
    const comparing = statements.flatMap((statement) => statement.compare() ?? [])
    return comparing.length === 0 ? undefined : Promise.all(comparing)
  }
}

function hasParts({ comparison }: Statement, { on }: ServedPart): boolean {
  return on !== 'items' || comparison?.items !== undefined
}

function isIncomparable(statement: Statement): boolean {
  return statement instanceof UnparsedValue && statement.isIncomparable
}

/**
 * The reply for a body that this daemon failed to judge or to compare. The voter is not to blame.
 */
const notJudged: Reply = { kind: 'fault', fault: 'busy' }

function letGo(reply: Reply): HeardResponse {
  return { reply, kept: false }
}

/**
 * Makes a reply whose list items or history steps are computed on demand, because they are needed
 * only if replies differ.
 */
function replyInParts(vote: string, statement: Statement, own: string | undefined): Reply {
  return {
    kind: 'value',
    vote,
    ...(own !== undefined && { own }),
    get items() {
      return statement.comparison?.items
    },
    get steps() {
      return statement.comparison?.steps
    },
  }
}

export interface Body {
  readonly status: number
  readonly bytes: Buffer
  /**
   * The reply that the body counts as, or a promise while the judge thread works on a long body.
   */
  reply: Reply | Promise<Reply>
  /** Undefined until the body is interpreted, and for a refusal. */
  judged: JudgedValue | undefined
  digest: string | undefined
  readonly voters: number[]
}

/** The value or the refusal that one vote represents, with all bodies that express it. */
export interface Statement {
  readonly kind: 'value' | 'refusal'
  readonly bodies: Body[]
  readonly comparison: Comparison | undefined
  compare(): Promise<void> | undefined
}

export class RefusalStatement implements Statement {
  readonly kind = 'refusal'
  readonly bodies: Body[] = []
  readonly status: number
  readonly text: string
  #comparison: Comparison | undefined

  constructor(status: number, text: string) {
    this.status = status
    this.text = text
  }

  get comparison(): Comparison {
    this.#comparison ??= wholeComparison(canonicalJson({ status: this.status, error: this.text }))
    return this.#comparison
  }

  compare(): undefined {}
}

export class ValueStatement implements Statement {
  readonly kind = 'value'
  readonly bodies: Body[] = []
  readonly value: unknown
  readonly #read: Read
  #comparison: Comparison | undefined

  constructor(read: Read, value: unknown) {
    this.#read = read
    this.value = value
  }

  /** The comparison is computed on first use, because most reads have only one distinct value. */
  get comparison(): Comparison {
    this.#comparison ??= comparisonOf(this.#read, this.value)
    return this.#comparison
  }

  compare(): undefined {}
}

/** A value that the judge thread parsed. The main thread has only the bytes of its body. */
class UnparsedValue implements Statement {
  readonly kind = 'value'
  readonly bodies: Body[] = []
  readonly printed: Printed | undefined
  comparison: Comparison | undefined
  /**
   * True if the judge thread failed to compare the body, and the body is not to blame. It is then
   * unknown which other statements are equal to this one.
   */
  isIncomparable = false
  readonly #bytes: Buffer
  readonly #made: () => Promise<Comparison>
  #comparing: Promise<void> | undefined

  /** @param made has the judge thread compare the body. */
  constructor(bytes: Buffer, printed: Printed | undefined, made: () => Promise<Comparison>) {
    this.#bytes = bytes
    this.printed = printed
    this.#made = made
  }

  compare(): Promise<void> | undefined {
    if (this.comparison !== undefined) return undefined
    this.#comparing ??= this.#made().then(
      (made) => {
        this.comparison = made
      },
      // A body that the judge thread fails to compare gets a digest that no other body has. It then
      // differs from all other bodies, which can still be compared with one another.
      (error: unknown) => {
        this.isIncomparable = error instanceof JudgeFailed && error.blame === 'daemon'
        this.comparison = { digest: `not compared: ${digest(this.#bytes)}`, excerpt: '' }
      },
    )
    return this.#comparing
  }
}
