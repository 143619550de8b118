import {
  type BareItem,
  type InnerList,
  parseDictionary,
  printItem,
} from '../../base/lib/structured-fields.ts'
import {
  componentLists,
  receiptComponents,
  receiptTag,
} from '../../base/receipt-format/receipt-components.ts'
import {
  type Component,
  componentList,
  signatureBase,
  signatureParameters,
} from '../../base/receipt-format/signature-base.ts'
import { unlessMalformed } from '../header-members.ts'
import { contentDigestOf } from './content-digest.ts'
import { checkSignature } from './ed25519.ts'
import type { Ed25519Engine } from './ed25519-engine.ts'
import { bytesOf, type CheckedPin } from './pins.ts'
import { ReceiptRefusal } from './refusals.ts'
import { coveredHeaders, type ReceiptQuestion, type SavedReceipt } from './saved-receipt.ts'

export interface ExpectedSignature {
  readonly pins: readonly CheckedPin[]
  readonly question: ReceiptQuestion
  readonly engine: Ed25519Engine | undefined
}

/**
 * Verifies a signature against the verifier's own question and the response in the receipt.
 * @throws ReceiptRefusal
 */
export async function verifySignature(receipt: SavedReceipt, expected: ExpectedSignature) {
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
    throw new ReceiptRefusal('otherQuestion', { asked: nameOf(stated), expected: nameOf(expected.question) })
  throw new ReceiptRefusal('badSignature')
}

function nameOf({ method, path }: ReceiptQuestion): string {
  return `${method} ${path}`
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

export interface ReceiptSignature {
  /** The time of the signature, in seconds since 1970; the same unit as `expires`. */
  readonly created: number
  readonly expires: number
  readonly keyid: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The list of the signed parts of the messages, serialized as RFC 9421 prescribes. */
  readonly covered: string
}

export type SignatureFault =
  | 'noReceipt'
  | 'severalSignatures'
  | 'malformedSignature'
  | 'otherParameters'
  | 'otherAlgorithm'
  | 'otherComponents'

/**
 * Finds the one signature with the tag of receipts. Ignores other tags: an intermediary may have
 * signed, too.
 * @param input the header `signature-input`
 * @param signature the header `signature`
 */
function findSignature(input: string, signature: string): ReceiptSignature | SignatureFault {
  const found = unlessMalformed(() => {
    const inputs = parseDictionary(input)
    const ours = [...inputs].filter(([, { parameters }]) => isTag(parameters.get('tag')))
    const [first, second] = ours
    if (first === undefined) return 'noReceipt'
    if (second !== undefined) return 'severalSignatures'
    const [label, member] = first
    const signatures = parseDictionary(signature)
    const value = signatures.get(label)
    // A label that only one of the two headers has is an error (RFC 9421, 4).
    if (signatures.size !== inputs.size || [...inputs.keys()].some((one) => !signatures.has(one)))
      return 'malformedSignature'
    if (!('items' in member) || value === undefined || 'items' in value) return 'malformedSignature'
    if (value.bare.type !== 'bytes' || value.parameters.size > 0) return 'malformedSignature'
    return signatureIn(member, value.bare.value)
  })
  return found ?? 'malformedSignature'
}

const parameterNames = 'created expires keyid alg tag'

function signatureIn(
  { items, parameters }: InnerList,
  bytes: Uint8Array<ArrayBuffer>,
): ReceiptSignature | SignatureFault {
  const [created, expires, keyid, alg] = [...parameters.values()]
  if ([...parameters.keys()].join(' ') !== parameterNames) return 'otherParameters'
  if (created?.type !== 'integer' || expires?.type !== 'integer') return 'otherParameters'
  if (keyid?.type !== 'string' || alg?.type !== 'string') return 'otherParameters'
  if (alg.value !== 'ed25519') return 'otherAlgorithm'
  const covered = `(${items.map(printItem).join(' ')})`
  if (!componentLists.includes(covered)) return 'otherComponents'
  return { created: created.value, expires: expires.value, keyid: keyid.value, bytes, covered }
}

function isTag(tag: BareItem | undefined): boolean {
  return tag?.type === 'string' && tag.value === receiptTag
}
