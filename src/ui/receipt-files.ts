import { SpliceError } from '../errors/splice.ts'
import type { PlainRoute, RouteContext } from '../http/routes/route.ts'
import type { Question } from '../reads/read.ts'
import { inputProblem, type OfferTerms, questionIn, questionOf } from './lookup.ts'
import type { LookupInput } from './model.ts'
import { later, pageResponse, textResponse, unkept } from './responses.ts'
import { lookupAddress } from './views/links.ts'
import { refusedReceiptView } from './views/receipts.ts'

/** An answer whose receipt a visitor wants. */
export interface WantedReceipt {
  /** The name or the party that was looked up. */
  readonly what: string
  readonly question: Question
  /** The answer must be agreed at this time or later: milliseconds since 1970 UTC. */
  readonly notBefore: number | undefined
  /** Takes one miss of the visitor's miss budget. Throws a SpliceError if none is left. */
  readonly spend: () => void
}

/** The signed answers of this daemon, as files. */
export interface ReceiptFiles extends OfferTerms {
  /** Returns the public keys of this daemon: former ones, the present one and the next one. Each is the `x` of its JWK. */
  keys(): readonly string[]
  /**
   * Resolves with the content of a `.receipt.json` file, which has the answer that callers of the public address
   * get. Undefined if no receipt can be made now. Rejects with a SpliceError if there is no answer.
   */
  save(wanted: WantedReceipt): Promise<string | undefined>
}

const longestFileName = 80

/** Makes the route that a visitor downloads receipts from. */
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
        const content = await receipts.save(wanted)
        if (content !== undefined) return fileResponse(content, input.text)
        const why = 'This daemon can make no receipt for this answer now.'
        return refusal(c, input, { why, status: 503 })
      } catch (error) {
        if (!(error instanceof SpliceError)) throw error
        const { message: why, status, retryAfter } = error
        return refusal(c, input, { why, status, retryAfter })
      }
    },
  }
}

interface Refusal {
  readonly why: string
  readonly status: number
  readonly retryAfter?: number | undefined
}

/** Says why there is no receipt: to a browser on a page that leads back, and to the page's script in plain text. */
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
