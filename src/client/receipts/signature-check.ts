import { componentList, signatureBase, signatureParameters } from '../../receipt-format/signature-base.ts'
import { checkSignature } from './ed25519.ts'
import type { Ed25519Engine } from './ed25519-engine.ts'
import { bytesOf, type CheckedPin } from './pins.ts'
import { findSignature, type ReceiptSignature, type SignatureFault } from './receipt-signature.ts'
import { ReceiptRefusal } from './refusals.ts'
import type { ReceiptQuestion, SavedReceipt } from './saved-receipt.ts'
import { type SignatureForm, signatureForms } from './signature-forms.ts'

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
 * If the receipt has both forms of signature, returns the form for an answer, because only that
 * form covers the question too.
 * @throws ReceiptRefusal `noReceipt`
 */
export function requireTagged(receipt: SavedReceipt): SignatureForm {
  const form = signatureForms.find((one) => signatureIn(receipt, one) !== 'noReceipt')
  if (form === undefined) throw new ReceiptRefusal('noReceipt')
  return form
}

function signatureIn(
  { response: { headers } }: SavedReceipt,
  form: SignatureForm,
): ReceiptSignature | SignatureFault {
  return findSignature(headers['signature-input'] ?? '', headers['signature'] ?? '', form)
}

/**
 * Verifies a signature against the verifier's own question and the response in the receipt.
 * @throws ReceiptRefusal
 */
export async function verifySignature(
  receipt: SavedReceipt,
  form: SignatureForm,
  expected: ExpectedSignature,
): Promise<VerifiedSignature> {
  const signature = signatureIn(receipt, form)
  if (typeof signature === 'string') throw new ReceiptRefusal(signature, { tag: form.tag })
  const { headers } = receipt.response
  const missing = form.headers.find((name) => !Object.hasOwn(headers, name))
  if (missing !== undefined) throw new ReceiptRefusal('missingHeader', { name: missing })
  const { keyid } = signature
  const pin = expected.pins.find((one) => one.keyid === keyid)
  if (pin === undefined) throw new ReceiptRefusal('unknownKey', { keyid })
  const key = await bytesOf(pin, receipt.keys)
  if (key === undefined) throw new ReceiptRefusal('keyNotGiven', { keyid })
  const isBy = (question: ReceiptQuestion) =>
    isSigned(receipt, question, { form, signature, key, engine: expected.engine })
  if (await isBy(expected.question)) return { signature, pin }
  // The question in the receipt is not trusted. Checking the signature against it only finds out
  // why the signature does not verify.
  const stated = receipt.request
  if (await isBy(stated))
    throw new ReceiptRefusal('otherQuestion', { asked: `${stated.method} ${stated.path}` })
  throw new ReceiptRefusal('badSignature')
}

interface Signed {
  readonly form: SignatureForm
  readonly signature: ReceiptSignature
  readonly key: Uint8Array<ArrayBuffer>
  readonly engine: Ed25519Engine | undefined
}

async function isSigned(
  receipt: SavedReceipt,
  question: ReceiptQuestion,
  { form, signature, key, engine }: Signed,
): Promise<boolean> {
  const components = await form.componentsOf(receipt, question)
  const list = componentList(components)
  const base = signatureBase(components, `${list}${signatureParameters(signature, form.tag)}`)
  const check = await checkSignature(key, signature.bytes, new TextEncoder().encode(base), engine)
  if (check === 'weakKey' || check === 'malleable')
    throw new ReceiptRefusal(check, { keyid: signature.keyid })
  return check === 'valid' && list === signature.covered
}
