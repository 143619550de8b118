import { type Component, componentList } from './signature-base.ts'

/** The `tag` of a receipt's signature. Callers ask for one with the same tag in `accept-signature`. */
export const receiptTag = 'bft-scan-receipt'

/** The parts of a request that a receipt binds its response to. */
export interface ReceiptRequest {
  readonly method: 'GET' | 'POST'
  /** The path as the caller sent it, still encoded. */
  readonly path: string
  /** The query as the caller sent it, still encoded, without `?`. */
  readonly query: string
  /** The value of `content-digest`. Undefined for requests without a body. */
  readonly contentDigest: string | undefined
}

/** The parts of a response that a receipt covers: its status, and the values of headers. */
export interface ReceiptResponse {
  readonly status: number
  readonly contentDigest: string
  readonly contentType: string
  readonly receipt: string
  readonly quorum: string
  readonly agreed: string
}

/** Lists exactly the components that a receipt covers, always in this order. */
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

/** The two lists of components that receipts have: of reads by GET, and of reads by POST. */
export const componentLists: readonly string[] = [ofGet, ofPost].map(componentList)

/** The identifiers of components that callers may ask for. */
export const coverable: ReadonlySet<string> = new Set(ofPost.map(([identifier]) => identifier))
