import type { Moment } from '../base/lib/clock.ts'
import { ageMs } from '../base/lib/clock.ts'
import { digest } from '../base/lib/digest.ts'
import { type MaybePromise, whenKnown } from '../base/lib/maybe-promise.ts'
import type { ReceiptRequest } from '../base/receipt-format/receipt-components.ts'
import type { Served } from '../core/cache/answers.ts'
import type { Electors } from '../core/cache/provenance.ts'
import type { ReceiptDocument, ReceiptDocuments, VoteRecord } from './documents.ts'
import { rosterDocument, type VoteBasis, voteDocument } from './documents.ts'
import type { CurrentKey, KeyRing } from './key-ring.ts'
import { receiptMs } from './receipt-lifetime.ts'
import type { ReceiptSigner } from './receipt-signer.ts'
import { type ReceiptJob, receiptHeaders, type SignedReceipt } from './sign-receipt.ts'

export interface ReceiptWish {
  /** The label of the signature. */
  readonly label: string
  readonly question: VoteRecord['question']
  readonly request: ReceiptRequest
  readonly served: Served
  readonly representation: { readonly status: number; readonly body: string | Buffer; readonly etag: string }
  readonly quorum: string
  readonly agreed: string
  readonly at: Moment
  /** The answer must be true at this time or later, in milliseconds since 1970. */
  readonly notBefore: number | undefined
}

export interface ReceiptDeskDeps {
  readonly keys: KeyRing
  readonly signer: Pick<ReceiptSigner, 'sign'>
  readonly documents: ReceiptDocuments
  /** The super validators that vote now; undefined until the daemon knows them. */
  readonly electors: () => Electors | undefined
  readonly operatorName: VoteRecord['operatorName']
}

/** How many receipts of one answer are kept. Each of a read's up to four paths needs its own. */
const mostOfOneAnswer = 4
/**
 * The maximum length of a request's path and query that are kept as text, in characters. A longer
 * text is kept as its digest or not at all, to save memory.
 */
const longestTarget = 256

/**
 * How long the latest headers are reused. The time is short, because reuse does not mark the
 * receipts and their documents as used in the caches.
 */
const latestHeadersMs = 1_000

interface LatestReceipt extends Pick<ReceiptWish, 'request'> {
  readonly label: string
  readonly keyid: string
  readonly etag: string
  readonly headers: Record<string, string>
  readonly until: number
}

/**
 * The receipts of one answer. They differ only in the request, the representation of the answer and
 * the signing key. For a mirrored answer, all of them give the time of the first one, although the
 * mirror confirms the answer later.
 */
export class AnswerReceipts {
  readonly #deps: ReceiptDeskDeps
  readonly #electors: Electors
  readonly #asOf: ReceiptWish['served']['asOf']
  readonly #agreedAtMs: number
  readonly #endsAtMs: number
  readonly #basis: VoteBasis
  readonly #made = new Map<string, MaybePromise<SignedReceipt | undefined>>()
  #latest: LatestReceipt | undefined
  #digests: { readonly votes: string; readonly roster: string } | undefined

  constructor({ served, at }: ReceiptWish, electors: Electors, deps: ReceiptDeskDeps) {
    const { answer, asOf } = served
    this.#deps = deps
    this.#electors = electors
    this.#basis = asOf !== undefined ? 'mirror' : answer.provenance === undefined ? 'shared' : 'live'
    this.#asOf = asOf
    this.#agreedAtMs = asOf?.at ?? at.wall - ageMs(served.agreedAt, at)
    this.#endsAtMs = Math.min(this.#agreedAtMs + receiptMs(served), answer.endsAt ?? Number.POSITIVE_INFINITY)
  }

  /**
   * Whether these receipts must be replaced, because they have expired or are older than the
   * caller's `notBefore`. False unless the answer is from the mirror (the daemon's own copy of the
   * data) and the mirror has confirmed the answer since.
   */
  isOutdatedFor({ served: { asOf }, notBefore, at }: ReceiptWish): boolean {
    if (asOf === undefined || asOf.at <= this.#agreedAtMs) return false
    return at.wall >= this.#endsAtMs || (notBefore !== undefined && this.#agreedAtMs < notBefore)
  }

  latestHeadersIfSame({
    label,
    representation,
    request,
    at,
  }: ReceiptWish): Record<string, string> | undefined {
    const latest = this.#latest
    if (latest === undefined || latest.etag !== representation.etag || latest.label !== label)
      return undefined
    const { path, query, contentDigest } = latest.request
    if (path !== request.path || query !== request.query || contentDigest !== request.contentDigest)
      return undefined
    if (latest.keyid !== this.#deps.keys.signing(at.wall).key.keyid) return undefined
    return at.now < latest.until && at.wall < this.#endsAtMs ? latest.headers : undefined
  }

  /** Returns undefined if the receipt cannot be made, or would have expired already. */
  headersFor(wish: ReceiptWish): MaybePromise<Record<string, string> | undefined> {
    const { label, representation, request, at } = wish
    const { keyid } = this.#deps.keys.signing(at.wall).key
    return whenKnown(this.receiptFor(wish), (signed) => {
      if (signed === undefined) return undefined
      const headers = receiptHeaders(signed, label)
      if (request.path.length + request.query.length <= longestTarget)
        this.#latest = {
          label,
          keyid,
          etag: representation.etag,
          request,
          headers,
          until: at.now + latestHeadersMs,
        }
      return headers
    })
  }

  receiptFor(wish: ReceiptWish): MaybePromise<SignedReceipt | undefined> {
    if (wish.at.wall >= this.#endsAtMs) return undefined
    this.#keepDocuments(wish)
    const current = this.#deps.keys.signing(wish.at.wall)
    const key = keyOf(wish, current.key.keyid)
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const made = this.#deps.signer.sign(this.#job(wish, current), current.key.privateKey)
    this.#keep(key, made)
    return made
  }

  forget(): void {
    this.#made.clear()
    this.#latest = undefined
  }

  #keep(key: string, made: MaybePromise<SignedReceipt | undefined>): void {
    const [oldest] = this.#made.keys()
    if (oldest !== undefined && this.#made.size >= mostOfOneAnswer) this.#made.delete(oldest)
    this.#made.set(key, made)
    if (!(made instanceof Promise)) return
    void made.then((signed) => {
      if (this.#made.get(key) !== made) return
      if (signed === undefined) this.#made.delete(key)
      else this.#made.set(key, signed)
    })
  }

  #job(wish: ReceiptWish, { key, nbf }: CurrentKey): ReceiptJob {
    const { request, representation, quorum, agreed, at: now } = wish
    const asOf = this.#asOf
    const { votes, roster } = this.#digests as { votes: string; roster: string }
    const at = Math.floor(this.#agreedAtMs / 1000)
    return {
      request,
      status: representation.status,
      body: representation.body,
      stated: {
        at,
        asOf: asOf && { at: Math.floor(asOf.at / 1000), claim: asOf.claim },
        roster,
        trust: this.#electors.trustDigest,
        votes,
        isShared: this.#basis === 'shared',
      },
      quorum,
      agreed,
      terms: {
        // A signature must not be dated before its key began to sign, even if the answer is older
        // than the key.
        created: Math.max(at, Math.min(nbf, Math.floor(now.wall / 1000))),
        expires: Math.floor(this.#endsAtMs / 1000),
        keyid: key.keyid,
      },
    }
  }

  #keepDocuments({ question, served: { answer } }: ReceiptWish): void {
    const { documents, operatorName } = this.#deps
    const known = this.#digests
    if (known !== undefined && documents.markUsed(known.votes) && documents.markUsed(known.roster)) return
    const made: Record<'votes' | 'roster', ReceiptDocument> = {
      roster: rosterDocument(this.#electors),
      votes: voteDocument({
        basis: this.#basis,
        question,
        agreedAtMs: this.#agreedAtMs,
        agreement: answer.agreement,
        electors: this.#electors,
        provenance: answer.provenance,
        operatorName,
      }),
    }
    documents.add(made.roster)
    documents.add(made.votes)
    this.#digests = { votes: made.votes.digest, roster: made.roster.digest }
  }
}

function keyOf(
  { request: { method, path, query, contentDigest = '' }, representation: { etag } }: ReceiptWish,
  keyid: string,
): string {
  const target = `${path}?${query}`
  const short = target.length > longestTarget ? digest(target) : target
  return `${keyid} ${method} ${short} ${etag} ${contentDigest}`
}
