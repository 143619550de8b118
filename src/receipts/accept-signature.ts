import {
  type FieldMember,
  type InnerList,
  MalformedField,
  parseDictionary,
  printItem,
} from '../lib/structured-fields.ts'
import { coverable, receiptTag } from '../receipt-format/receipt-components.ts'

const longestHeader = 4_096
const longestLabel = 64

/**
 * Returns the label that a caller chose for the daemon's signature (RFC 9421, 5). Undefined if the
 * caller wants no receipt, or the daemon cannot make it as requested. A malformed or too long header
 * requests no signature.
 * @param header the value of `accept-signature`.
 * @param keyid the id of the key that signs now.
 */
export function wantedLabel(header: string, keyid: string): string | undefined {
  const members = header.length > longestHeader ? [] : [...membersOf(header)]
  return members.find(
    ([label, member]) => label.length <= longestLabel && 'items' in member && isWanted(member, keyid),
  )?.[0]
}

function membersOf(header: string): Iterable<[string, FieldMember]> {
  try {
    return parseDictionary(header)
  } catch (error) {
    if (error instanceof MalformedField) return []
    throw error
  }
}

function isWanted({ items, parameters }: InnerList, keyid: string): boolean {
  return (
    parameters.get('tag')?.value === receiptTag &&
    (parameters.get('alg')?.value ?? 'ed25519') === 'ed25519' &&
    (parameters.get('keyid')?.value ?? keyid) === keyid &&
    !parameters.has('nonce') &&
    items.every((item) => coverable.has(printItem(item) ?? ''))
  )
}
