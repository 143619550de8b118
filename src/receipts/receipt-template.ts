import type { CoveredComponent } from './signature-base.ts'

/** The tag by which callers ask for receipts, and by which verifiers know them. */
export const receiptTag = 'bft-scan-receipt'

/** The media type of every signed response. */
const contentType = 'application/json'

/** The parts of a request that a receipt binds its response to. */
export interface ReceiptRequest {
  readonly method: 'GET' | 'POST'
  /** As the caller sent it, still encoded. */
  readonly path: string
  /** As the caller sent it, still encoded, without `?`. */
  readonly query: string
  /** The value of `content-digest`. Undefined for requests without a body. */
  readonly contentDigest: string | undefined
}

/** The values of the headers that a receipt covers. */
export interface ReceiptResponse {
  readonly status: number
  readonly contentDigest: string
  readonly receipt: string
  readonly quorum: string
  readonly agreed: string
}

/** The times of a signature in seconds since 1970, and its key. */
export interface SignatureTerms {
  readonly created: number
  readonly expires: number
  readonly keyid: string
}

/** Lists the components that every receipt covers, in the order in which it names them. */
export function coveredBy(request: ReceiptRequest, response: ReceiptResponse): readonly CoveredComponent[] {
  const { contentDigest } = request
  return [
    { identifier: '"@status"', value: String(response.status) },
    { identifier: '"content-digest"', value: response.contentDigest },
    { identifier: '"content-type"', value: contentType },
    { identifier: '"@method";req', value: request.method },
    { identifier: '"@path";req', value: request.path },
    { identifier: '"@query";req', value: `?${request.query}` },
    ...(contentDigest === undefined ? [] : [{ identifier: '"content-digest";req', value: contentDigest }]),
    { identifier: '"x-bft-receipt"', value: response.receipt },
    { identifier: '"x-bft-quorum"', value: response.quorum },
    { identifier: '"x-bft-agreed"', value: response.agreed },
  ]
}

/** The identifiers that a receipt can cover, as callers may ask for them. */
export const coverable: ReadonlySet<string> = new Set(
  coveredBy(
    { method: 'POST', path: '', query: '', contentDigest: '' },
    { status: 0, contentDigest: '', receipt: '', quorum: '', agreed: '' },
  ).map(({ identifier }) => identifier),
)

/** Serialises `@signature-params`, which is also the value of the label in `signature-input`. */
export function signatureParams(
  components: readonly CoveredComponent[],
  { created, expires, keyid }: SignatureTerms,
): string {
  const covered = components.map(({ identifier }) => identifier).join(' ')
  return `(${covered});created=${created};expires=${expires};keyid="${keyid}";alg="ed25519";tag="${receiptTag}"`
}
