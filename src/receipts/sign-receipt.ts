import { hash, type KeyObject, sign } from 'node:crypto'
import { canonicalJson, MisshapenJson, parseJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import { printBytes } from '../lib/structured-fields.ts'
import { type ReceiptRequest, receiptComponents, receiptTag } from '../receipt-format/receipt-components.ts'
import {
  componentList,
  type SignatureTerms,
  signatureBase,
  signatureParameters,
} from '../receipt-format/signature-base.ts'
import { contentDigestField, type ReceiptField, receiptField } from './receipt-field.ts'

/** The data from which one receipt is made. It can be sent to another thread in a message. */
export interface ReceiptJob {
  readonly request: ReceiptRequest
  readonly status: number
  /** JSON. If it is a string, it has only ASCII characters, so that its length is its number of bytes. */
  readonly body: string | Uint8Array
  /** The values in `x-bft-receipt` that do not follow from the body. */
  readonly stated: Omit<ReceiptField, 'value'>
  /** The values of the headers `x-bft-quorum` and `x-bft-agreed`. */
  readonly quorum: string
  readonly agreed: string
  readonly terms: SignatureTerms
}

/** A receipt without the label of its signature. Each caller chooses its own label. */
export interface SignedReceipt {
  readonly contentDigest: string
  /** The value of `x-bft-receipt`. */
  readonly receipt: string
  /** The text that follows the label in `signature-input`. */
  readonly params: string
  /** The text that follows the label in `signature`. */
  readonly signature: string
}

/** The media type of every signed response. */
const contentType = 'application/json'

/**
 * Makes a receipt.
 * @throws MisshapenJson if the body has no canonical JSON.
 */
export function signReceipt(job: ReceiptJob, key: KeyObject): SignedReceipt {
  const { request, status, body, stated, quorum, agreed, terms } = job
  const contentDigest = contentDigestField(hash('sha256', body, 'base64url'))
  const receipt = receiptField({ ...stated, value: digest(canonicalJson(parseJson(body))) })
  const covered = receiptComponents(request, { status, contentDigest, contentType, receipt, quorum, agreed })
  const params = `${componentList(covered)}${signatureParameters(terms, receiptTag)}`
  const signature = sign(null, Buffer.from(signatureBase(covered, params)), key)
  return { contentDigest, receipt, params, signature: printBytes(signature) }
}

/** Makes a receipt. Undefined if the body has no canonical JSON. */
export function trySignReceipt(job: ReceiptJob, key: KeyObject): SignedReceipt | undefined {
  try {
    return signReceipt(job, key)
  } catch (error) {
    if (error instanceof MisshapenJson) return undefined
    throw error
  }
}

/** Returns the headers of a receipt. @param label the caller's name for the signature. */
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
