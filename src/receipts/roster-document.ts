import type { Electors } from '../cache/provenance.ts'
import { type ReceiptDocument, receiptDocument } from './documents.ts'

/**
 * Returns the document that lists the super validators. The document has only facts on which they
 * agreed and nothing of this daemon's configuration, so that all daemons make equal documents. It
 * has no URLs, so that no super validator that moves changes a digest that clients accepted.
 */
export function rosterDocument(electors: Electors): ReceiptDocument {
  let made = documents.get(electors)
  if (made === undefined) {
    made = madeOf(electors)
    documents.set(electors, made)
  }
  return made
}

const documents = new WeakMap<Electors, ReceiptDocument>()

function madeOf({ set: { dso, synchronizer, members } }: Electors): ReceiptDocument {
  return receiptDocument({
    v: 2,
    kind: 'roster',
    dso,
    synchronizer,
    superValidators: members.map(({ name }) => ({ name })),
  })
}
