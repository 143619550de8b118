import { hash, type KeyObject, sign } from 'node:crypto'
import { canonicalJson, MisshapenJson, parseJson } from '../base/lib/canonical-json.ts'
import { digest } from '../base/lib/digest.ts'
import { printBytes } from '../base/lib/structured-fields.ts'
import {
  type ReceiptRequest,
  receiptComponents,
  receiptTag,
} from '../base/receipt-format/receipt-components.ts'
import {
  componentList,
  type SignatureTerms,
  signatureBase,
  signatureParameters,
} from '../base/receipt-format/signature-base.ts'
import { contentDigestField, type ReceiptField, receiptField } from './receipt-field.ts'

export interface ReceiptJob {
  readonly request: ReceiptRequest
  readonly status: number
  /** JSON. A string has only ASCII characters, so that its length is its number of bytes. */
  readonly body: string | Uint8Array
  readonly stated: Omit<ReceiptField, 'value'>
  readonly quorum: string
  readonly agreed: string
  readonly terms: SignatureTerms
}

export interface KeyedJob {
  readonly job: ReceiptJob
  readonly key: KeyObject
}

/**
 * A receipt without its signature's label, which each caller chooses. `params` and `signature`
 * follow the label in the headers `signature-input` and `signature`.
 */
export interface SignedReceipt {
  readonly contentDigest: string
  readonly receipt: string
  readonly params: string
  readonly signature: string
}

const contentType = 'application/json'

/** @throws MisshapenJson if the body has no canonical JSON. */
export function signReceipt(job: ReceiptJob, key: KeyObject): SignedReceipt {
  const { request, status, body, stated, quorum, agreed, terms } = job
  const contentDigest = contentDigestField(hash('sha256', body, 'base64url'))
  const receipt = receiptField({ ...stated, value: digest(canonicalJson(parseJson(body))) })
  const covered = receiptComponents(request, { status, contentDigest, contentType, receipt, quorum, agreed })
  const params = `${componentList(covered)}${signatureParameters(terms, receiptTag)}`
  const signature = sign(null, Buffer.from(signatureBase(covered, params)), key)
  return { contentDigest, receipt, params, signature: printBytes(signature) }
}

export function trySignReceipt(job: ReceiptJob, key: KeyObject): SignedReceipt | undefined {
  try {
    return signReceipt(job, key)
  } catch (error) {
    if (error instanceof MisshapenJson) return undefined
    throw error
  }
}

export function receiptHeaders(
  { contentDigest, receipt, params, signature }: SignedReceipt,
  label: string,
): Record<string, string> {
  return {
    'content-digest': contentDigest,
    'x-bft-receipt': receipt,
    'signature-input': `${label}=${params}`,
    signature: `${label}=${signature}`,
  }
}
