import { LRUCache } from 'lru-cache'
import { canonicalJson, type Json } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'

const largestShare = 1 / 4
const overheadBytes = 256

export interface ReceiptDocument {
  /** SHA-256 of `text`, base64url. */
  readonly digest: string
  readonly text: string
}

export function receiptDocument(content: Json): ReceiptDocument {
  const text = canonicalJson(content)
  return { digest: digest(text), text }
}

/**
 * The documents that receipts refer to by digest: rosters and votes. Only the most recently used
 * documents are kept.
 */
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

  markUsed(name: string): boolean {
    return this.#kept.get(name) !== undefined
  }

  find(name: string): string | undefined {
    return this.#kept.get(name)
  }
}
