import { canonicalJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Question } from '../reads/read.ts'
import { longestBody } from './evidence-log.ts'
import type { JudgeThread } from './judge-thread.ts'
import { type Comparison, comparisonOf, type Printed } from './judgement.ts'
import type { Spans } from './own-texts.ts'

/** The bytes that some voters sent. */
export interface Body {
  readonly status: number
  readonly bytes: Buffer
  /** The reply that the bytes count as; a promise while the judge thread works on them. */
  reply: Reply | Promise<Reply>
  /**
   * Whether the daemon may serve the bytes unchanged: no field was filled in, and the row did not reorder
   * them.
   */
  verbatim: boolean
  /** SHA-256 of the bytes, base64url, if known. */
  digest: string | undefined
  /** When a value stops being true (the row's `cache.ends`), milliseconds since 1970; undefined if never. */
  endsAt: number | undefined
  /** The version of the row's `version`; undefined if the value has none. */
  version: string | undefined
  /** The spans of the node's own names, for reads that exclude them from the vote. */
  spans: Spans | undefined
  readonly voters: number[]
}

/** A statement with all bodies that express it. */
export interface Statement {
  readonly kind: 'value' | 'refusal'
  readonly bodies: Body[]
  /** Tells it apart from other statements. Undefined before `compare` is done. */
  readonly comparison: Comparison | undefined
  /** Sets `comparison`. Returns undefined if it is already set. */
  compare(): Promise<void> | undefined
}

/** A definite refusal: the voters vote on its status and text. */
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

/** A value that the main thread parsed. `UnparsedValue` is the other case. */
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

  /** Computed on first use, because most reads have only one distinct value. */
  get comparison(): Comparison {
    this.#comparison ??= comparisonOf(this.#question.read, this.value)
    return this.#comparison
  }

  compare(): undefined {}
}

/** A body that the judge thread has judged a value. */
export interface ThreadsBody {
  readonly bytes: Buffer
  readonly printed: Printed | undefined
  /** The first voter that sent the body. The judge thread charges further work on it to this voter. */
  readonly voter: number
}

/** A value that only the judge thread parses. The main thread has only its bytes. */
export class UnparsedValue implements Statement {
  readonly kind = 'value'
  readonly bodies: Body[] = []
  readonly bytes: Buffer
  /** The whole value as it is served, if that differs from the original bytes. */
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
      // A body that cannot be compared gets a digest of its own, so it differs from all others and does not
      // fail them.
      () => {
        this.#comparison = { digest: `not compared: ${digest(this.bytes)}`, excerpt: '' }
      },
    )
    return this.#comparing
  }
}
