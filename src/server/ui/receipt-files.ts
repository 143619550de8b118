import { LRUCache } from 'lru-cache'
import { type Clock, momentBefore, momentOf } from '../../base/lib/clock.ts'
import { digest } from '../../base/lib/digest.ts'
import { lookupQuestion, printReceipt, receiptOf } from '../../client/receipts/receipts.ts'
import type { Answer } from '../../core/cache/answer.ts'
import type { Question } from '../../core/reads/read.ts'
import type { Reader } from '../../core/scan/reader.ts'
import type { ReceiptDesk } from '../../receipts/receipt-desk.ts'
import { representationOf } from '../http/projection.ts'
import { splitTarget } from '../http/request.ts'
import { unchangedHeaders } from '../http/respond.ts'
import type { PlainRoute } from '../http/routes/route.ts'
import type { OfferedReceipt } from './model.ts'
import { textResponse, unkept } from './responses.ts'

export interface ShownVote {
  readonly what: string
  readonly question: Question
  readonly answer: Answer
  /** How long ago the quorum agreed, in milliseconds. */
  readonly agoMs: number
}

const longestFileName = 80

/** How many characters the kept receipts of votes have together at most. */
const mostKept = 4 * 2 ** 20

export function receiptRoute(receipts: ReceiptFiles): PlainRoute {
  return {
    method: 'GET',
    path: '/ui/receipts/{id}',
    id: 'pageReceipt',
    handler(c) {
      const kept = receipts.find(c.req.param('id') ?? '')
      if (kept === undefined)
        return textResponse(
          c,
          'This daemon no longer has the receipt of this look-up. Look it up again.',
          404,
        )
      const name = kept.what.replaceAll(/[^\w.-]+/g, '-').slice(0, longestFileName)
      return new Response(kept.content, {
        headers: {
          ...unkept,
          'content-type': 'application/json',
          'content-disposition': `attachment; filename="${name}.receipt.json"`,
        },
      })
    },
  }
}

interface ReceiptFilesDeps {
  readonly reader: Pick<Reader, 'lifetimeOf'>
  readonly desk: Pick<ReceiptDesk, 'headersFor' | 'lastsMs' | 'listedKeys'>
  readonly clock: Clock
}

/** Receipts as files for visitors. A receipt is an answer of this daemon with the daemon's signature. */
export class ReceiptFiles {
  /** False if the keys that sign are only in memory, and are lost when the process ends. */
  readonly areKeysKept: boolean
  readonly #deps: ReceiptFilesDeps
  readonly #kept = new LRUCache<string, { readonly what: string; readonly content: string }>({
    maxSize: mostKept,
    sizeCalculation: ({ content }) => content.length,
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

  /**
   * Signs the answer of a vote for the request that a client would send to look up the same name or
   * party, and keeps the receipt for a while. Resolves with undefined if no receipt can be made now.
   */
  async offer({ what, question, answer, agoMs }: ShownVote): Promise<OfferedReceipt | undefined> {
    const { desk, reader, clock } = this.#deps
    const { lifetime } = reader.lifetimeOf(question.read, answer)
    const at = momentOf(clock)
    const served = {
      answer,
      agreedAt: momentBefore(at, agoMs),
      how: 'request',
      stored: false,
      lifetime,
    } as const
    const request = lookupQuestion(what)
    const representation = representationOf(question, 'scan', served)
    const headers = unchangedHeaders(representation, answer.agreement)
    const signed = await desk.headersFor({
      label: 'receipt',
      question: { read: question.read.id, params: question.params },
      request: { method: 'GET', ...splitTarget(request.path), contentDigest: undefined },
      served,
      representation,
      quorum: headers['x-bft-quorum'] ?? '',
      agreed: headers['x-bft-agreed'] ?? '',
      at,
      notBefore: undefined,
    })
    if (signed === undefined) return undefined
    const response = {
      status: representation.status,
      headers: new Headers({ 'content-type': 'application/json', ...headers, ...signed }),
    }
    const receipt = receiptOf(request, response, representation.body)
    if (receipt === undefined) return undefined
    const keys = this.keys().map((x) => ({ kty: 'OKP', crv: 'Ed25519', x }) as const)
    const content = printReceipt({ ...receipt, keys })
    const id = digest(content)
    this.#kept.set(id, { what, content })
    return { address: `ui/receipts/${id}`, lastsMs: desk.lastsMs(lifetime), isKeyKept: this.areKeysKept }
  }

  find(id: string): { readonly what: string; readonly content: string } | undefined {
    return this.#kept.get(id)
  }
}
