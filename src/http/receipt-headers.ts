import type { IncomingMessage } from 'node:http'
import type { ReceiptWish } from '../receipts/receipt-wish.ts'
import { type RequestTarget, splitTarget } from './request.ts'
import type { HttpReply } from './respond.ts'

/** A request whose answer gets a receipt. The receipt covers the request too. */
export interface ReceiptedRequest {
  readonly method: 'GET' | 'POST'
  readonly request: IncomingMessage
  readonly target: RequestTarget
  /**
   * The digest of the body, in the syntax of the header `content-digest`. Undefined for a GET, and for a POST
   * whose own `content-digest` does not fit its body.
   */
  readonly bodyDigest: string | undefined
}

/**
 * Returns the data that the receipt of a response covers. Undefined for a POST without a `bodyDigest`,
 * because the receipt of a POST must cover the request's body.
 */
export function wishFor(
  { method, request: { url = '' }, target, bodyDigest }: ReceiptedRequest,
  { headers }: HttpReply,
  wish: Pick<ReceiptWish, 'labels' | 'served' | 'form' | 'at' | 'notBefore'> & {
    readonly question: {
      readonly read: { readonly id: string }
      readonly params: ReceiptWish['question']['params']
    }
  },
): ReceiptWish | undefined {
  if (method === 'POST' && bodyDigest === undefined) return undefined
  // A URL parser may have changed `target`. The receipt must cover the path and the query as the caller sent
  // them.
  const { path, query } = url === target.path || !url.startsWith('/') ? target : splitTarget(url)
  const { read, params } = wish.question
  return {
    ...wish,
    question: { read: read.id, params },
    request: { method, path, query, contentDigest: bodyDigest },
    quorum: headers['x-bft-quorum'] as string,
    agreed: headers['x-bft-agreed'] as string,
  }
}

/**
 * Adds the headers of a receipt to the response, and returns the same object. Without a receipt, the response
 * stays unchanged.
 */
export function withReceipt(reply: HttpReply, receipt: Record<string, string> | undefined): HttpReply {
  if (receipt !== undefined) Object.assign(reply.headers, receipt)
  return reply
}
