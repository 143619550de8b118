import type { Electors } from '../cache/provenance.ts'
import { type ReceiptDocument, receiptDocument } from './documents.ts'

/**
 * Makes the document of a roster, once. It holds only what the super validators agreed on, so that daemons with
 * different configurations make the same document of the same roster.
 */
export function rosterDocument(electors: Electors): ReceiptDocument {
  let made = documents.get(electors)
  if (made === undefined) {
    made = madeOf(electors)
    documents.set(electors, made)
  }
  return made
}

/** The documents that were made. Many answers have the same roster. */
const documents = new WeakMap<Electors, ReceiptDocument>()

function madeOf({ set: { dso, synchronizer, members } }: Electors): ReceiptDocument {
  return receiptDocument({
    v: 1,
    kind: 'roster',
    dso,
    synchronizer,
    superValidators: members.map(({ name, urls }) => ({ name, urls: [...urls] })),
  })
}
