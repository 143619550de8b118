import {
  type BareItem,
  type InnerList,
  MalformedField,
  parseDictionary,
  printItem,
} from '../../lib/structured-fields.ts'
import { componentLists, receiptTag } from '../../receipt-format/receipt-components.ts'

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
export function findSignature(input: string, signature: string): ReceiptSignature | SignatureFault {
  try {
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
  } catch (error) {
    if (error instanceof MalformedField) return 'malformedSignature'
    throw error
  }
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
