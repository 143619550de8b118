import { LRUCache } from 'lru-cache'
import type { Answer } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import { lookupQuestion, printReceipt, receiptOf } from '../client/receipts/receipts.ts'
import { SpliceError } from '../errors/splice.ts'
import { representationOf } from '../http/projection.ts'
import { splitTarget } from '../http/request.ts'
import { unchangedHeaders } from '../http/respond.ts'
import type { PlainRoute, RouteContext } from '../http/routes/route.ts'
import { type Clock, momentBefore, momentOf } from '../lib/clock.ts'
import { digest } from '../lib/digest.ts'
import type { Question } from '../reads/read.ts'
import type { ReceiptDesk } from '../receipts/receipt-desk.ts'
import type { Reader } from '../scan/reader.ts'
import {
  answerMark,
  inputProblem,
  type OfferTerms,
  questionIn,
  questionOf,
  type ShownVote,
} from './lookup.ts'
import { later, textResponse, unkept } from './responses.ts'

export interface WantedReceipt {
  readonly what: string
  readonly question: Question
  /**
   * The answer must not have been agreed before this time, in milliseconds since 1970 UTC.
   * Undefined accepts an answer of any age.
   */
  readonly notBefore: number | undefined
  readonly spend: () => void
}

export interface ReceiptFile {
  readonly content: string
  readonly answer: Pick<Answer, 'kind' | 'body'>
}

const longestFileName = 80

/** How many characters the kept receipts of votes have together at most. */
const mostKept = 4 * 2 ** 20

export function receiptRoute(receipts: ReceiptFiles, spendFor: (c: RouteContext) => () => void): PlainRoute {
  return {
    method: 'GET',
    path: '/ui/receipt',
    id: 'pageReceipt',
    async handler(c) {
      const query = new URL(c.req.url).searchParams
      const input = questionIn(query, false)
      const kept = receipts.find(query.get('vote'))
      if (kept !== undefined) return fileResponse(kept, input.text)
      const problem = input.by === 'prefix' ? 'A list of names has no receipt here.' : inputProblem(input)
      if (problem !== undefined) return refusal(c, { why: problem, status: 400 })
      try {
        const question = questionOf(input.by, input.text)
        const wanted = { what: input.text, question, notBefore: timeIn(query), spend: spendFor(c) }
        const saved = await receipts.save(wanted)
        if (saved === undefined) {
          const why = 'This daemon can make no receipt for this answer now.'
          return refusal(c, { why, status: 503 })
        }
        const mark = query.get('mark')
        if (mark !== null && mark !== answerMark(saved.answer))
          return refusal(c, { why: otherAnswer(saved), status: 409 })
        return fileResponse(saved.content, input.text)
      } catch (error) {
        if (!(error instanceof SpliceError)) throw error
        const { message: why, status, retryAfter } = error
        return refusal(c, { why, status, retryAfter })
      }
    },
  }
}

function otherAnswer({ answer: { kind } }: ReceiptFile): string {
  const now =
    kind === 'absence' ? 'Callers are now told that there is none.' : 'The entry is another one now.'
  return `The answer has changed since this look-up. ${now} Look it up again, and download the receipt of that answer.`
}

type FileRefusal = Pick<SpliceError, 'status'> & {
  readonly why: string
  readonly retryAfter?: number | undefined
}

function refusal(c: RouteContext, { why, status, retryAfter }: FileRefusal): Response {
  return textResponse(c, why, status, later(retryAfter))
}

function timeIn(query: URLSearchParams): number | undefined {
  const at = query.get('at') ?? ''
  return /^\d{1,15}$/.test(at) ? Number(at) : undefined
}

function fileResponse(content: string, what: string): Response {
  const name = what.replaceAll(/[^\w.-]+/g, '-').slice(0, longestFileName)
  return new Response(content, {
    headers: {
      ...unkept,
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="${name}.receipt.json"`,
    },
  })
}

interface SignedAnswer extends Pick<WantedReceipt, 'what' | 'question' | 'notBefore'> {
  readonly served: Served
}

interface ReceiptFilesDeps {
  readonly reader: Pick<Reader, 'answer' | 'lifetimeOf'>
  readonly desk: Pick<ReceiptDesk, 'headersFor' | 'lastsMs' | 'listedKeys'>
  readonly clock: Clock
}

/** Receipts as files for visitors. A receipt is an answer of this daemon with the daemon's signature. */
export class ReceiptFiles implements OfferTerms {
  readonly areKeysKept: boolean
  readonly #deps: ReceiptFilesDeps
  readonly #kept = new LRUCache<string, string>({
    maxSize: mostKept,
    sizeCalculation: ({ length }) => length,
  })

  constructor(areKeysKept: boolean, deps: ReceiptFilesDeps) {
    this.areKeysKept = areKeysKept
    this.#deps = deps
  }

  /**
   * Returns the former, the current and the next public key of this daemon, each as in the field
   * `x` of its JWK.
   */
  keys(): readonly string[] {
    const { desk, clock } = this.#deps
    return desk.listedKeys(clock.wall()).map(({ x }) => x)
  }

  lastsMs({ read }: Question, answer: Answer): number {
    const { desk, reader } = this.#deps
    return desk.lastsMs(reader.lifetimeOf(read, answer).lifetime)
  }

  /**
   * Makes a receipt of the answer that callers of the public address get. It is signed for the
   * request that a client would send to look up the same name or party. Resolves with undefined if
   * no receipt can be made now. Rejects with a SpliceError if there is no answer.
   */
  async save({ what, question, notBefore, spend }: WantedReceipt): Promise<ReceiptFile | undefined> {
    const { reader, clock } = this.#deps
    const receivedAt = momentOf(clock)
    const served = await reader.answer(question, { receivedAt, notBefore, beforeLoad: spend })
    const content = await this.#signed({ what, question, notBefore, served })
    return content === undefined ? undefined : { content, answer: served.answer }
  }

  async keep({ what, question, answer, agoMs }: ShownVote): Promise<string | undefined> {
    const { lifetime } = this.#deps.reader.lifetimeOf(question.read, answer)
    const agreedAt = momentBefore(momentOf(this.#deps.clock), agoMs)
    const served = { answer, agreedAt, how: 'request', stored: false, lifetime } as const
    const content = await this.#signed({ what, question, notBefore: undefined, served })
    if (content === undefined) return undefined
    const id = digest(content)
    this.#kept.set(id, content)
    return id
  }

  /** Returns the receipt that `keep` kept under this id. */
  find(id: string | null): string | undefined {
    return id === null ? undefined : this.#kept.get(id)
  }

  async #signed({ what, question, notBefore, served }: SignedAnswer): Promise<string | undefined> {
    const { desk, clock } = this.#deps
    const request = lookupQuestion(what)
    const representation = representationOf(question, 'scan', served)
    const headers = unchangedHeaders(representation, served.answer.agreement)
    const receipt = await desk.headersFor({
      label: 'receipt',
      question: { read: question.read.id, params: question.params },
      request: { method: 'GET', ...splitTarget(request.path), contentDigest: undefined },
      served,
      representation,
      quorum: headers['x-bft-quorum'] ?? '',
      agreed: headers['x-bft-agreed'] ?? '',
      at: momentOf(clock),
      notBefore,
    })
    if (receipt === undefined) return undefined
    const response = {
      status: representation.status,
      headers: new Headers({ 'content-type': 'application/json', ...headers, ...receipt }),
    }
    const saved = receiptOf(request, response, representation.body)
    const keys = this.keys().map((x) => ({ kty: 'OKP', crv: 'Ed25519', x }) as const)
    return saved && printReceipt({ ...saved, keys })
  }
}
