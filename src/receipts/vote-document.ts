import type { Agreement } from '../cache/agreement.ts'
import type { AnswerProvenance, Electors, HeardVote } from '../cache/provenance.ts'
import type { Json } from '../lib/canonical-json.ts'
import { sha256Hex } from '../lib/digest.ts'
import { type ReceiptDocument, receiptDocument } from './documents.ts'

/** The longest parameter that a document quotes, in characters. The SHA-256 of a longer one stands in its place. */
const longestParam = 4_096

/**
 * How the daemon knows of the votes. `live`: it asked. `shared`: another daemon asked, and shares its answers.
 * `mirror`: the super validators gave the entry in a snapshot.
 */
export type VoteBasis = 'live' | 'shared' | 'mirror'

export interface VoteRecord {
  readonly basis: VoteBasis
  readonly question: { readonly read: string; readonly params: Readonly<Record<string, string>> }
  /** When the quorum agreed, milliseconds since 1970. */
  readonly agreedAtMs: number
  readonly agreement: Agreement
  /** The super validators that could vote. */
  readonly electors: Electors
  /** Undefined if this daemon did not ask for the answer itself: then only the names of those that agreed are known. */
  readonly provenance: AnswerProvenance | undefined
  /** Returns the display name of a voter's operator. */
  readonly operatorName: (voter: { readonly operator: string }) => string
}

/** Makes the document that says who said what, dissent included. */
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
