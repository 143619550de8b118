import type { Electors } from '../cache/provenance.ts'
import { type ReceiptDocument, receiptDocument } from './documents.ts'

/**
 * Returns the document of a roster. It is made once and then reused. It has only facts on which the super
 * validators agreed, and nothing of this daemon's configuration. So all daemons make equal documents of the
 * same roster.
 */
export function rosterDocument(electors: Electors): ReceiptDocument {
  let made = documents.get(electors)
  if (made === undefined) {
    made = madeOf(electors)
    documents.set(electors, made)
  }
  return made
}

/** The documents that were made before, by roster. Many answers share a roster. */
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
