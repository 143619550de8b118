import {
  type FieldMember,
  type InnerList,
  MalformedField,
  parseDictionary,
  printItem,
} from '../lib/structured-fields.ts'
import { coverable, receiptTag } from '../receipt-format/receipt-components.ts'

/** The longest `accept-signature` that is read, in characters. */
const longestHeader = 4_096
/** The longest label that a caller may choose for its signature, in characters. */
const longestLabel = 64

/**
 * Returns the label that a caller wants its receipt to have (RFC 9421, 5). Undefined if it asks for no receipt, or for one
 * that this daemon cannot make: of another key or algorithm, over other components, or with a nonce. A signature that was
 * not asked for exactly so is none, and the response goes out without one.
 * @param keyid the key that signs now.
 */
export function wantedLabel(header: string, keyid: string): string | undefined {
  if (header.length > longestHeader) return undefined
  for (const [label, member] of membersOf(header))
    if (label.length <= longestLabel && 'items' in member && isReceipt(member, keyid)) return label
  return undefined
}

function membersOf(header: string): Iterable<[string, FieldMember]> {
  try {
    return parseDictionary(header)
  } catch (error) {
    if (error instanceof MalformedField) return []
    throw error
  }
}

function isReceipt({ items, parameters }: InnerList, keyid: string): boolean {
  return (
    parameters.get('tag')?.value === receiptTag &&
    (parameters.get('alg')?.value ?? 'ed25519') === 'ed25519' &&
    (parameters.get('keyid')?.value ?? keyid) === keyid &&
    !parameters.has('nonce') &&
    items.every((item) => coverable.has(printItem(item) ?? ''))
  )
}
