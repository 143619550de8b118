import type { IncomingMessage } from 'node:http'
import type { ReceiptWish } from '../receipts/receipt-wish.ts'
import { type RequestTarget, splitTarget } from './request.ts'
import type { HttpReply } from './respond.ts'

export interface ReceiptedRequest {
  readonly method: 'GET' | 'POST'
  readonly request: IncomingMessage
  readonly target: RequestTarget
  readonly bodyDigest: string | undefined
}

/**
 * Returns undefined for a POST without a digest of its body, because the receipt must cover the
 * body.
 */
export function wishFor(
  { method, request: { url = '' }, target, bodyDigest }: ReceiptedRequest,
  { headers }: HttpReply,
  wish: Pick<ReceiptWish, 'label' | 'served' | 'representation' | 'at' | 'notBefore'> & {
    readonly question: {
      readonly read: { readonly id: string }
      readonly params: ReceiptWish['question']['params']
    }
  },
): ReceiptWish | undefined {
  if (method === 'POST' && bodyDigest === undefined) return undefined
  // The receipt must cover the path and query as the caller sent them; a URL parser may have
  // changed `target`.
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

export function withReceipt(reply: HttpReply, receipt: Record<string, string> | undefined): HttpReply {
  if (receipt !== undefined) Object.assign(reply.headers, receipt)
  return reply
}
