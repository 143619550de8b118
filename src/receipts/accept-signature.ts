import {
  type FieldMember,
  type InnerList,
  MalformedField,
  parseDictionary,
  printItem,
} from '../lib/structured-fields.ts'
import { coverable, receiptTag } from '../receipt-format/receipt-components.ts'
import { setComponents, setTag } from '../receipt-format/set-components.ts'
import type { WantedLabels } from './receipt-wish.ts'

const longestHeader = 4_096
const longestLabel = 64

const coverableOfSet: ReadonlySet<string> = new Set(setComponents('').map(([identifier]) => identifier))

/**
 * Returns the labels that a caller chose for the daemon's signatures (RFC 9421, 5). A label is
 * undefined if the caller does not want that signature, or the daemon cannot make it as requested.
 * A malformed or too long header requests no signature.
 * @param header the value of `accept-signature`.
 * @param keyid the id of the key that signs now.
 */
export function wantedLabels(header: string, keyid: string): WantedLabels {
  const members = header.length > longestHeader ? [] : [...membersOf(header)]
  const labelOf = (tag: string, mayCover: ReadonlySet<string>) =>
    members.find(
      ([label, member]) =>
        label.length <= longestLabel && 'items' in member && isWanted(member, { tag, mayCover, keyid }),
    )?.[0]
  return { answer: labelOf(receiptTag, coverable), set: labelOf(setTag, coverableOfSet) }
}

interface OfferedSignature {
  readonly tag: string
  readonly mayCover: ReadonlySet<string>
  readonly keyid: string
}

function membersOf(header: string): Iterable<[string, FieldMember]> {
  try {
    return parseDictionary(header)
  } catch (error) {
    if (error instanceof MalformedField) return []
    throw error
  }
}

function isWanted({ items, parameters }: InnerList, { tag, mayCover, keyid }: OfferedSignature): boolean {
  return (
    parameters.get('tag')?.value === tag &&
    (parameters.get('alg')?.value ?? 'ed25519') === 'ed25519' &&
    (parameters.get('keyid')?.value ?? keyid) === keyid &&
    !parameters.has('nonce') &&
    items.every((item) => mayCover.has(printItem(item) ?? ''))
  )
}
