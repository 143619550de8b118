import type { Agreement } from '../cache/agreement.ts'
import type { AnswerProvenance, Electors, HeardVote } from '../cache/provenance.ts'
import type { Json } from '../lib/canonical-json.ts'
import { sha256Hex } from '../lib/digest.ts'
import { type ReceiptDocument, receiptDocument } from './documents.ts'

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
