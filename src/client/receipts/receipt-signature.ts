import { componentLists } from './receipt-components.ts'
import {
  type BareItem,
  type FieldItem,
  type InnerList,
  MalformedField,
  parseDictionary,
} from './structured-fields.ts'

/** The tag of a receipt's signature, and of `Accept-Signature`. */
export const receiptTag = 'bft-scan-receipt'

/** The signature of a receipt, before anything of it is verified. */
export interface ReceiptSignature {
  /** Seconds since 1970. */
  readonly created: number
  readonly expires: number
  readonly keyid: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The list of components: one of `componentLists`. */
  readonly covered: string
}

/** The faults of a signature that show before any cryptography. */
export type SignatureFault =
  | 'noReceipt'
  | 'severalSignatures'
  | 'malformedSignature'
  | 'otherParameters'
  | 'otherAlgorithm'
  | 'otherComponents'

/** Finds the one signature with the tag of receipts. Intermediaries may have added others, which do not matter. */
export function findSignature(input: string, signature: string): ReceiptSignature | SignatureFault {
  try {
    const ours = [...parseDictionary(input)].filter(([, { parameters }]) => isTag(parameters.get('tag')))
    const [first, second] = ours
    if (first === undefined) return 'noReceipt'
    if (second !== undefined) return 'severalSignatures'
    const [label, member] = first
    const value = parseDictionary(signature).get(label)
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
  const covered = `(${items.map(printed).join(' ')})`
  if (!componentLists.includes(covered)) return 'otherComponents'
  return { created: created.value, expires: expires.value, keyid: keyid.value, bytes, covered }
}

function isTag(tag: BareItem | undefined): boolean {
  return tag?.type === 'string' && tag.value === receiptTag
}

function printed({ bare, parameters }: FieldItem): string {
  if (bare.type !== 'string') return ''
  const flags = [...parameters].map(([key, { value }]) => (value === true ? `;${key}` : `;${key}=`))
  return `"${bare.value}"${flags.join('')}`
}

/** Prints the parameters as every receipt has them. A signature over another text does not verify. */
export function printParameters({ created, expires, keyid }: ReceiptSignature): string {
  return `;created=${created};expires=${expires};keyid="${keyid}";alg="ed25519";tag="${receiptTag}"`
}
