import type { Answer } from '../cache/answer.ts'
import { SpliceError } from '../errors/splice.ts'
import type { PlainRoute, RouteContext } from '../http/routes/route.ts'
import type { Question } from '../reads/read.ts'
import { answerMark } from './answer-mark.ts'
import { inputProblem, type OfferTerms, questionIn, questionOf } from './lookup.ts'
import type { LookupInput } from './model.ts'
import { later, pageResponse, textResponse, unkept } from './responses.ts'
import { lookupAddress } from './views/links.ts'
import { refusedReceiptView } from './views/receipts.ts'

export interface WantedReceipt {
  /** The name or the party that the visitor looked up. */
  readonly what: string
  readonly question: Question
  /**
   * The earliest time at which the answer may have been agreed on, in milliseconds since 1970 UTC. Undefined if the
   * visitor accepts an answer of any age.
   */
  readonly notBefore: number | undefined
  /** Takes one miss from the miss budget of the visitor. Throws a SpliceError if the budget is used up. */
  readonly spend: () => void
}

export interface ReceiptFile {
  /** The content of a `.receipt.json` file. */
  readonly content: string
  /** The answer that the receipt proves. */
  readonly answer: Pick<Answer, 'kind' | 'body'>
}

/** Makes files that contain signed answers of this daemon. */
export interface ReceiptFiles extends OfferTerms {
  /**
   * Returns the public keys of this daemon: former keys, the current key and the next key. Each is as in the
   * field `x` of its JWK.
   */
  keys(): readonly string[]
  /**
   * Makes a receipt of the answer that callers of the public address get, and resolves with it. Resolves with
   * undefined if the daemon can make no receipt now. Rejects with a SpliceError if there is no answer.
   */
  save(wanted: WantedReceipt): Promise<ReceiptFile | undefined>
}

const longestFileName = 80

export function receiptRoute(receipts: ReceiptFiles, spendFor: (c: RouteContext) => () => void): PlainRoute {
  return {
    method: 'GET',
    path: '/ui/receipt',
    id: 'pageReceipt',
    async handler(c) {
      const query = new URL(c.req.url).searchParams
      const input = questionIn(query, false)
      const problem = input.by === 'prefix' ? 'A list of names has no receipt here.' : inputProblem(input)
      if (problem !== undefined) return refusal(c, input, { why: problem, status: 400 })
      try {
        const question = questionOf(input.by, input.text)
        const wanted = { what: input.text, question, notBefore: timeIn(query), spend: spendFor(c) }
        const saved = await receipts.save(wanted)
        if (saved === undefined) {
          const why = 'This daemon can make no receipt for this answer now.'
          return refusal(c, input, { why, status: 503 })
        }
        const mark = query.get('mark')
        if (mark !== null && mark !== answerMark(saved.answer))
          return refusal(c, input, { why: otherAnswer(saved), status: 409 })
        return fileResponse(saved.content, input.text)
      } catch (error) {
        if (!(error instanceof SpliceError)) throw error
        const { message: why, status, retryAfter } = error
        return refusal(c, input, { why, status, retryAfter })
      }
    },
  }
}

function otherAnswer({ answer: { kind } }: ReceiptFile): string {
  const now =
    kind === 'absence' ? 'Callers are now told that there is none.' : 'The entry is another one now.'
  return `The answer has changed since this look-up. ${now} Look it up again, and download the receipt of that answer.`
}

interface Refusal {
  readonly why: string
  readonly status: number
  readonly retryAfter?: number | undefined
}

/**
 * Responds with the reason why there is no receipt. If the request accepts HTML, the response is a page with
 * a link back to the answer. Otherwise the response is plain text. The page's script shows that text.
 */
function refusal(c: RouteContext, input: LookupInput, { why, status, retryAfter }: Refusal): Response {
  const headers = later(retryAfter)
  if (c.req.header('accept')?.includes('text/html') !== true) return textResponse(c, why, status, headers)
  const back = lookupAddress({ ...input, ask: undefined })
  return pageResponse(c, refusedReceiptView(input.text, why, back).toString(), { status, headers })
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
