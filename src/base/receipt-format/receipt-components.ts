import { type Component, componentList } from './signature-base.ts'

/**
 * The `tag` of a receipt's signature (RFC 9421). A caller that sends this tag in `accept-signature`
 * asks for a receipt.
 */
export const receiptTag = 'bft-scan-receipt'

export interface ReceiptRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** The query as the caller sent it, still encoded, without `?`. */
  readonly query: string
  readonly contentDigest: string | undefined
}

export interface ReceiptResponse {
  readonly status: number
  readonly contentDigest: string
  readonly contentType: string
  readonly receipt: string
  readonly quorum: string
  readonly agreed: string
}

/**
 * Returns the parts of the messages that a receipt's signature covers. Their order is part of the
 * format.
 */
export function receiptComponents(request: ReceiptRequest, response: ReceiptResponse): readonly Component[] {
  const { contentDigest } = request
  return [
    ['"@status"', String(response.status)],
    ['"content-digest"', response.contentDigest],
    ['"content-type"', response.contentType],
    ['"@method";req', request.method],
    ['"@path";req', request.path],
    ['"@query";req', `?${request.query}`],
    ...(contentDigest === undefined ? [] : [['"content-digest";req', contentDigest] as const]),
    ['"x-bft-receipt"', response.receipt],
    ['"x-bft-quorum"', response.quorum],
    ['"x-bft-agreed"', response.agreed],
  ]
}

const empty: ReceiptResponse = {
  status: 0,
  contentDigest: '',
  contentType: '',
  receipt: '',
  quorum: '',
  agreed: '',
}
const ofGet = receiptComponents({ method: 'GET', path: '', query: '', contentDigest: undefined }, empty)
const ofPost = receiptComponents({ method: 'POST', path: '', query: '', contentDigest: '' }, empty)

/** The serialized lists of covered components: one for reads by GET, one for reads by POST. */
export const componentLists: readonly string[] = [ofGet, ofPost].map(componentList)

/** The components that a caller may list in `accept-signature`. */
export const coverable: ReadonlySet<string> = new Set(ofPost.map(([identifier]) => identifier))
