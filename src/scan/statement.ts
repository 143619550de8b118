import { canonicalJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Question } from '../reads/read.ts'
import { longestBody } from './evidence-log.ts'
import { JudgeFailed, type JudgeThread } from './judge-thread.ts'
import { type Comparison, comparisonOf, type JudgedValue, type Printed } from './judgement.ts'

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
    if (this.#comparison === undefined) {
      const canonical = canonicalJson({ status: this.status, error: this.text })
      this.#comparison = { digest: digest(canonical), excerpt: canonical.slice(0, longestBody) }
    }
    return this.#comparison
  }

  compare(): undefined {}
}

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

  /** The comparison is computed on first use, because most reads have only one distinct value. */
  get comparison(): Comparison {
    this.#comparison ??= comparisonOf(this.#question.read, this.value)
    return this.#comparison
  }

  compare(): undefined {}
}

export interface ThreadsBody {
  readonly bytes: Buffer
  readonly printed: Printed | undefined
  /**
   * The name of the voter that sent the body first. The judge thread attributes the time that the
   * body takes to this voter.
   */
  readonly voter: string
}

/** A value that the judge thread parsed. The main thread has only the bytes of its body. */
export class UnparsedValue implements Statement {
  readonly kind = 'value'
  readonly bodies: Body[] = []
  readonly bytes: Buffer
  readonly printed: Printed | undefined
  readonly #question: Question
  readonly #voter: string
  readonly #thread: JudgeThread
  #comparison: Comparison | undefined
  #comparing: Promise<void> | undefined
  #isIncomparable = false

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

  /**
   * True if the judge thread failed to compare the body, and the body is not to blame. It is then
   * unknown which other statements are equal to this one.
   */
  get isIncomparable(): boolean {
    return this.#isIncomparable
  }

  compare(): Promise<void> | undefined {
    if (this.#comparison !== undefined) return undefined
    this.#comparing ??= this.#thread.compare(this.#question, this.bytes, this.#voter).then(
      (made) => {
        this.#comparison = made
      },
      // A body that the judge thread fails to compare gets a digest that no other body has. It then
      // differs from all other bodies, which can still be compared with one another.
      (error: unknown) => {
        this.#isIncomparable = error instanceof JudgeFailed && error.blame === 'daemon'
        this.#comparison = { digest: `not compared: ${digest(this.bytes)}`, excerpt: '' }
      },
    )
    return this.#comparing
  }
}
