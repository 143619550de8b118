import { LRUCache } from 'lru-cache'
import { canonicalJson, type Json } from '../base/lib/canonical-json.ts'
import { digest, sha256Hex } from '../base/lib/digest.ts'
import type { Agreement } from '../core/cache/agreement.ts'
import type { AnswerProvenance, Electors, HeardVote } from '../core/cache/provenance.ts'

const largestShare = 1 / 4
const overheadBytes = 256

export interface ReceiptDocument {
  /** SHA-256 of `text`, base64url. */
  readonly digest: string
  readonly text: string
}

function receiptDocument(content: Json): ReceiptDocument {
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

function madeOf({ membership: { dso, synchronizer, members } }: Electors): ReceiptDocument {
  return receiptDocument({
    v: 2,
    kind: 'roster',
    dso,
    synchronizer,
    superValidators: members.map(({ name }) => ({ name })),
  })
}

/** In characters. The document has only the SHA-256 of a longer parameter. */
const longestParam = 4_096

/**
 * The way in which the daemon learnt that a quorum agreed:
 * - `live`: this daemon asked the super validators itself.
 * - `shared`: another daemon asked the super validators, and shares its answers through Redis.
 * - `mirror`: the answer is from a snapshot on which the super validators agreed, or from updates
 *   after that snapshot.
 */
export type VoteBasis = 'live' | 'shared' | 'mirror'

export interface VoteRecord {
  readonly basis: VoteBasis
  readonly question: { readonly read: string; readonly params: Readonly<Record<string, string>> }
  readonly agreedAtMs: number
  readonly agreement: Agreement
  readonly electors: Electors
  /**
   * The replies of the voters. Undefined for `shared` and `mirror`, where the daemon knows only the
   * names of the super validators that agreed.
   */
  readonly provenance: AnswerProvenance | undefined
  readonly operatorName: (voter: { readonly operator: string }) => string
}

export function voteDocument(record: VoteRecord): ReceiptDocument {
  const { basis, question, agreedAtMs, agreement, provenance } = record
  return receiptDocument({
    v: 1,
    kind: 'votes',
    basis,
    question: { read: question.read, params: shortened(question.params) },
    at: iso(agreedAtMs),
    threshold: agreement.threshold,
    ...(agreement.operators !== undefined && { operatorThreshold: agreement.operators.threshold }),
    ...(provenance !== undefined && { rule: provenance.rule }),
    superValidators: votesIn(record),
  })
}

function votesIn({ electors, provenance, agreement, agreedAtMs, operatorName }: VoteRecord): Json[] {
  return electors.voters.flatMap((voter, index) => {
    const heard = provenance?.heard[index]
    return voter.names.map((name) => ({
      name,
      operator: operatorName(voter),
      origin: voter.place?.origin ?? null,
      ...(provenance === undefined
        ? { agrees: agreement.agreed.includes(name) }
        : heard === undefined
          ? { outcome: 'not heard', agrees: false }
          : reply(heard, agreedAtMs)),
    }))
  })
}

function reply({ outcome, agrees, digest, agoMs }: HeardVote, agreedAtMs: number): { [key: string]: Json } {
  return { outcome, agrees, reply: digest ?? null, at: iso(agreedAtMs - Math.floor(agoMs)) }
}

function shortened(params: Readonly<Record<string, string>>): Json {
  const entries = Object.entries(params).map(([name, value]): [string, Json] => [
    name,
    value.length > longestParam ? { sha256: sha256Hex(value) } : value,
  ])
  return Object.fromEntries(entries)
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
