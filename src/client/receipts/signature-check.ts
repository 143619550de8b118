import { receiptComponents, receiptTag } from '../../receipt-format/receipt-components.ts'
import {
  type Component,
  componentList,
  signatureBase,
  signatureParameters,
} from '../../receipt-format/signature-base.ts'
import { contentDigestOf } from './content-digest.ts'
import { checkSignature } from './ed25519.ts'
import type { Ed25519Engine } from './ed25519-engine.ts'
import { bytesOf, type CheckedPin } from './pins.ts'
import { findSignature, type ReceiptSignature } from './receipt-signature.ts'
import { ReceiptRefusal } from './refusals.ts'
import type { ReceiptQuestion, SavedReceipt } from './saved-receipt.ts'

const coveredHeaders = ['content-digest', 'content-type', 'x-bft-receipt', 'x-bft-quorum', 'x-bft-agreed']

export interface ExpectedSignature {
  readonly pins: readonly CheckedPin[]
  readonly question: ReceiptQuestion
  readonly engine: Ed25519Engine | undefined
}

export interface VerifiedSignature {
  readonly signature: ReceiptSignature
  readonly pin: CheckedPin
}

/**
 * Verifies a signature against the verifier's own question and the response in the receipt.
 * @throws ReceiptRefusal
 */
export async function verifySignature(
  receipt: SavedReceipt,
  expected: ExpectedSignature,
): Promise<VerifiedSignature> {
  const { headers } = receipt.response
  const signature = findSignature(headers['signature-input'] ?? '', headers['signature'] ?? '')
  if (typeof signature === 'string') throw new ReceiptRefusal(signature, { tag: receiptTag })
  const missing = coveredHeaders.find((name) => !Object.hasOwn(headers, name))
  if (missing !== undefined) throw new ReceiptRefusal('missingHeader', { name: missing })
  const { keyid } = signature
  const pin = expected.pins.find((one) => one.keyid === keyid)
  if (pin === undefined) throw new ReceiptRefusal('unknownKey', { keyid })
  const key = await bytesOf(pin, receipt.keys)
  if (key === undefined) throw new ReceiptRefusal('keyNotGiven', { keyid })
  const isBy = (question: ReceiptQuestion) =>
    isSigned(receipt, question, { signature, key, engine: expected.engine })
  if (await isBy(expected.question)) return { signature, pin }
  // The question in the receipt is not trusted. Checking the signature against it only finds out
  // why the signature does not verify.
  const stated = receipt.request
  if (await isBy(stated))
    throw new ReceiptRefusal('otherQuestion', { asked: `${stated.method} ${stated.path}` })
  throw new ReceiptRefusal('badSignature')
}

interface Signed {
  readonly signature: ReceiptSignature
  readonly key: Uint8Array<ArrayBuffer>
  readonly engine: Ed25519Engine | undefined
}

async function isSigned(
  receipt: SavedReceipt,
  question: ReceiptQuestion,
  { signature, key, engine }: Signed,
): Promise<boolean> {
  const components = await componentsOf(receipt, question)
  const list = componentList(components)
  const base = signatureBase(components, `${list}${signatureParameters(signature, receiptTag)}`)
  const check = await checkSignature(key, signature.bytes, new TextEncoder().encode(base), engine)
  if (check === 'weakKey' || check === 'malleable')
    throw new ReceiptRefusal(check, { keyid: signature.keyid })
  return check === 'valid' && list === signature.covered
}

/** Takes the request from `question`, because the request in `receipt` is not trusted. */
async function componentsOf(
  receipt: SavedReceipt,
  { method, path, body }: ReceiptQuestion,
): Promise<readonly Component[]> {
  const end = path.includes('?') ? path.indexOf('?') : path.length
  return receiptComponents(
    {
      method,
      path: path.slice(0, end),
      query: path.slice(end + 1),
      contentDigest: body === undefined ? undefined : await contentDigestOf(body),
    },
    {
      status: receipt.response.status,
      contentDigest: headerOf(receipt, 'content-digest'),
      contentType: headerOf(receipt, 'content-type'),
      receipt: headerOf(receipt, 'x-bft-receipt'),
      quorum: headerOf(receipt, 'x-bft-quorum'),
      agreed: headerOf(receipt, 'x-bft-agreed'),
    },
  )
}

export function headerOf({ response: { headers } }: SavedReceipt, name: string): string {
  return (headers[name] ?? '').trim()
}
