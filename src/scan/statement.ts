import { canonicalJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Question } from '../reads/read.ts'
import { longestBody } from './evidence-log.ts'
import type { JudgeThread } from './judge-thread.ts'
import { type Comparison, comparisonOf, type Printed } from './judgement.ts'
import type { Spans } from './own-texts.ts'

/** Bytes that some voters sent. */
export interface Body {
  readonly status: number
  readonly bytes: Buffer
  /** What they stand for; a promise while the bytes are judged elsewhere. */
  reply: Reply | Promise<Reply>
  /** Whether the bytes can be served as they are: nothing was filled in, and the row does not put them in order. */
  verbatim: boolean
  /** SHA-256 of the bytes, base64url, where it is known. */
  digest: string | undefined
  /** Of a value: the earliest end that it names, milliseconds since 1970; undefined where it names none. */
  endsAt: number | undefined
  /** Where the node names itself, for reads of which that is left out of the vote. */
  spans: Spans | undefined
  readonly voters: number[]
}

/** What some voters said: everybody's bodies that say the same. */
export interface Statement {
  readonly kind: 'value' | 'refusal'
  readonly bodies: Body[]
  /** Undefined before `compare` is done. */
  readonly comparison: Comparison | undefined
  /** Makes the comparison; undefined where that is done already. */
  compare(): Promise<void> | undefined
}

/** A definite refusal: a status, and a text that is voted on with it. */
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
    if (this.#comparison === undefined) {
      const canonical = canonicalJson({ status: this.status, error: this.text })
      this.#comparison = { digest: digest(canonical), excerpt: canonical.slice(0, longestBody) }
    }
    return this.#comparison
  }

  compare(): undefined {}
}

/** A value that this thread has judged. */
export class ValueStatement implements Statement {
  readonly kind = 'value'
  readonly bodies: Body[] = []
  readonly value: unknown
  readonly #question: Question
  #comparison: Comparison | undefined

  constructor(question: Question, value: unknown) {
    this.#question = question
    this.value = value
  }

  /** Made when it is first asked for: most reads have one value only. */
  get comparison(): Comparison {
    this.#comparison ??= comparisonOf(this.#question.read, this.value)
    return this.#comparison
  }

  compare(): undefined {}
}

/** A body that the judge thread has judged. */
export interface ThreadsBody {
  readonly bytes: Buffer
  readonly printed: Printed | undefined
  /** Who sent it first: what it costs takes the turn of that voter. */
  readonly voter: number
}

/** A value of which this thread has only the bytes: the judge thread looks into them. */
export class UnparsedValue implements Statement {
  readonly kind = 'value'
  readonly bodies: Body[] = []
  readonly bytes: Buffer
  /** The whole value as it is served, where that is not the bytes as they are. */
  readonly printed: Printed | undefined
  readonly #question: Question
  readonly #voter: number
  readonly #thread: JudgeThread
  #comparison: Comparison | undefined
  #comparing: Promise<void> | undefined

  constructor(question: Question, { bytes, printed, voter }: ThreadsBody, thread: JudgeThread) {
    this.#question = question
    this.bytes = bytes
    this.printed = printed
    this.#voter = voter
    this.#thread = thread
  }

  get comparison(): Comparison | undefined {
    return this.#comparison
  }

  compare(): Promise<void> | undefined {
    if (this.#comparison !== undefined) return undefined
    this.#comparing ??= this.#thread.compare(this.#question, this.bytes, this.#voter).then(
      (made) => {
        this.#comparison = made
      },
      // A body that cannot be compared differs from all others, and takes nobody along.
      () => {
        this.#comparison = { digest: `not compared: ${digest(this.bytes)}`, excerpt: '' }
      },
    )
    return this.#comparing
  }
}
