import { type Component, componentList } from './signature-base.ts'

/**
 * The `tag` of a receipt's signature. A caller that puts this tag into `accept-signature` asks for a receipt.
 */
export const receiptTag = 'bft-scan-receipt'

/** The parts of a request that the signature of a receipt covers. */
export interface ReceiptRequest {
  readonly method: 'GET' | 'POST'
  /** The path as the caller sent it, still encoded. */
  readonly path: string
  /** The query as the caller sent it, still encoded, without `?`. */
  readonly query: string
  /** The value of `content-digest`. Undefined for requests without a body. */
  readonly contentDigest: string | undefined
}

/** The parts of a response that a receipt covers: its status, and the values of some headers. */
export interface ReceiptResponse {
  readonly status: number
  readonly contentDigest: string
  readonly contentType: string
  readonly receipt: string
  readonly quorum: string
  readonly agreed: string
}

/** Returns all components that a receipt covers, in their fixed order. */
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

/** The serialized lists of components that receipts cover: one for reads by GET, one for reads by POST. */
export const componentLists: readonly string[] = [ofGet, ofPost].map(componentList)

/** The identifiers of the components that a caller's `accept-signature` may list. */
export const coverable: ReadonlySet<string> = new Set(ofPost.map(([identifier]) => identifier))
