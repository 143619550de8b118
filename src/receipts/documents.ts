import { LRUCache } from 'lru-cache'
import { canonicalJson, type Json } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'

/** The largest share of `maxBytes` that a single document may take. */
const largestShare = 1 / 4
/** The estimated memory that a document takes besides its text, in bytes. */
const overheadBytes = 256

/** A document to which receipts refer by the digest of its text. */
export interface ReceiptDocument {
  /** SHA-256 of `text`, base64url. */
  readonly digest: string
  /** Canonical JSON. */
  readonly text: string
}

export function receiptDocument(content: Json): ReceiptDocument {
  const text = canonicalJson(content)
  return { digest: digest(text), text }
}

/** Keeps the documents that were used last, in at most `maxBytes` of memory. */
export class ReceiptDocuments {
  readonly #kept: LRUCache<string, string>

  constructor({ maxBytes }: { readonly maxBytes: number }) {
    const bytes = Math.max(1, maxBytes)
    this.#kept = new LRUCache({
      maxSize: bytes,
      maxEntrySize: Math.max(1, Math.floor(bytes * largestShare)),
      // A string takes up to two bytes a character.
      sizeCalculation: (text) => overheadBytes + 2 * text.length,
    })
  }

  add({ digest: name, text }: ReceiptDocument): void {
    this.#kept.set(name, text)
  }

  /** Returns whether the document is kept, and marks it as used. */
  touch(name: string): boolean {
    return this.#kept.get(name) !== undefined
  }

  /** Returns the text of a document, and marks it as used. Undefined if it is not kept. */
  find(name: string): string | undefined {
    return this.#kept.get(name)
  }
}
