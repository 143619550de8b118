import type { IncomingMessage } from 'node:http'
import type { ReceiptWish } from '../receipts/receipt-wish.ts'
import { type RequestTarget, splitTarget } from './request.ts'
import type { HttpReply } from './respond.ts'

/** The request that a receipt is about. */
export interface ReceiptedRequest {
  readonly method: 'GET' | 'POST'
  readonly request: IncomingMessage
  readonly target: RequestTarget
  /** The value of `content-digest`; undefined for GET, and for a body without a receipt. */
  readonly bodyDigest: string | undefined
}

/** Returns what a receipt states. Undefined if the request, as it was sent, can have none. */
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
  // A URL parser may have changed the target, and the receipt is about the one that the caller sent.
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

/** Adds the headers of a receipt to a reply, whose headers are its own. */
export function withReceipt(reply: HttpReply, receipt: Record<string, string> | undefined): HttpReply {
  if (receipt !== undefined) Object.assign(reply.headers, receipt)
  return reply
}
