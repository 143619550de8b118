import { type InnerList, type Item, isInnerList, parseDictionary, serializeItem } from 'structured-headers'
import { coverable, receiptTag } from './receipt-template.ts'

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
    if (label.length <= longestLabel && isInnerList(member) && isReceipt(member, keyid)) return label
  return undefined
}

function membersOf(header: string): Iterable<[string, InnerList | Item]> {
  try {
    return parseDictionary(header)
  } catch {
    return []
  }
}

function isReceipt([components, params]: InnerList, keyid: string): boolean {
  return (
    params.get('tag') === receiptTag &&
    (params.get('alg') ?? 'ed25519') === 'ed25519' &&
    (params.get('keyid') ?? keyid) === keyid &&
    !params.has('nonce') &&
    components.every((component) => coverable.has(serializeItem(component)))
  )
}
