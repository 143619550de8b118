import type { Electors } from '../cache/provenance.ts'
import { digest } from '../lib/digest.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { ReceiptDocument } from './documents.ts'
import type { CurrentKey } from './key-ring.ts'
import { receiptMs } from './receipt-lifetime.ts'
import type { ReceiptDeskDeps, ReceiptWish } from './receipt-wish.ts'
import { rosterDocument } from './roster-document.ts'
import { type ReceiptJob, receiptHeaders, type SignedReceipt } from './sign-receipt.ts'
import { type VoteBasis, voteDocument } from './vote-document.ts'

/**
 * The maximum number of receipts that are kept for one answer. A read has up to four paths, and each needs a
 * receipt of its own.
 */
const mostOfOneAnswer = 4
/**
 * The longest target (path and query), in characters, that `keyOf` uses unchanged. `keyOf` replaces a longer
 * target by its digest.
 */
const longestTarget = 256

/**
 * The milliseconds for which `again` returns the latest result of `headersFor`. The time is short, because
 * the caches of documents and receipts count only a new call of `headersFor` as a use.
 */
const againMs = 1_000

/** The headers that the latest caller got, and the request for which they were made. */
interface LatestReceipt extends Pick<ReceiptWish, 'request'> {
  readonly label: string
  readonly keyid: string
  readonly etag: string
  readonly headers: Record<string, string>
  /** The value of `Clock.now()` from which on the headers are not reused. */
  readonly until: number
}

/**
 * The receipts of one answer. They differ only in the request, the representation of the answer and the signing key.
 */
export class AnswerReceipts {
  readonly #deps: ReceiptDeskDeps
  readonly #electors: Electors
  readonly #agreedAtMs: number
  readonly #endsAtMs: number
  readonly #basis: VoteBasis
  /** The receipts that were made or are being made, oldest first. The keys are those of `keyOf`. */
  readonly #made = new Map<string, MaybePromise<SignedReceipt | undefined>>()
  #latest: LatestReceipt | undefined
  #digests: { readonly votes: string; readonly roster: string } | undefined

  constructor({ served, at }: ReceiptWish, electors: Electors, deps: ReceiptDeskDeps) {
    const { answer, asOf } = served
    this.#deps = deps
    this.#electors = electors
    this.#basis = asOf !== undefined ? 'mirror' : answer.provenance === undefined ? 'shared' : 'live'
    this.#agreedAtMs = asOf?.at ?? at.wall - Math.max(0, at.now - served.agreedAt)
    this.#endsAtMs = Math.min(this.#agreedAtMs + receiptMs(served), answer.endsAt ?? Number.POSITIVE_INFINITY)
  }

  /**
   * Whether these receipts must be replaced by newer ones, because they have expired or state a time before
   * the caller's `notBefore`. Always false if the daemon cannot make newer ones: the answer is not from the
   * mirror, or the mirror has not confirmed the answer for a later time.
   */
  isOutdatedFor({ served: { asOf }, notBefore, at }: ReceiptWish): boolean {
    if (asOf === undefined || asOf.at <= this.#agreedAtMs) return false
    return at.wall >= this.#endsAtMs || (notBefore !== undefined && this.#agreedAtMs < notBefore)
  }

  /**
   * Returns the latest result of `headersFor` if this caller needs the same headers, as nearly all callers
   * for one answer do. Undefined if it needs others, or if that result is `againMs` old.
   */
  again({ representation, request, at }: ReceiptWish, label: string): Record<string, string> | undefined {
    const latest = this.#latest
    if (latest === undefined || latest.etag !== representation.etag || latest.label !== label)
      return undefined
    const { path, query, contentDigest } = latest.request
    if (path !== request.path || query !== request.query || contentDigest !== request.contentDigest)
      return undefined
    if (latest.keyid !== this.#deps.keys.signing(at.wall).key.keyid) return undefined
    return at.now < latest.until && at.wall < this.#endsAtMs ? latest.headers : undefined
  }

  /**
   * Returns the response headers with the receipt. Undefined if the receipt cannot be made, or would have
   * expired already.
   */
  headersFor(wish: ReceiptWish, label: string): MaybePromise<Record<string, string> | undefined> {
    const { representation, request, at } = wish
    const { keyid } = this.#deps.keys.signing(at.wall).key
    return whenKnown(this.receiptFor(wish), (signed) => {
      if (signed === undefined) return undefined
      const headers = receiptHeaders(signed, label)
      if (request.path.length + request.query.length <= longestTarget)
        this.#latest = { label, keyid, etag: representation.etag, request, headers, until: at.now + againMs }
      return headers
    })
  }

  /**
   * Returns the kept receipt, or makes it. Undefined if the receipt cannot be made, or would have expired
   * already.
   */
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

  /** Drops the receipts to save memory. They are made again when they are needed. */
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
    const { request, representation, quorum, agreed, at: now, served } = wish
    const { asOf } = served
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
        // If the key is younger than the answer, the signature is dated at the time at which the key began to
        // sign.
        created: Math.max(at, Math.min(nbf, Math.floor(now.wall / 1000))),
        expires: Math.floor(this.#endsAtMs / 1000),
        keyid: key.keyid,
      },
    }
  }

  /** Adds the documents to which the receipts refer by digest, if they are not kept any more. */
  #keepDocuments({ question, served: { answer } }: ReceiptWish): void {
    const { documents, operatorName } = this.#deps
    const known = this.#digests
    if (known !== undefined && documents.touch(known.votes) && documents.touch(known.roster)) return
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

/** Returns the map key of a receipt in `#made`. Different receipts of one answer have different map keys. */
function keyOf(
  { request: { method, path, query, contentDigest = '' }, representation: { etag } }: ReceiptWish,
  keyid: string,
): string {
  const target = `${path}?${query}`
  const short = target.length > longestTarget ? digest(target) : target
  return `${keyid} ${method} ${short} ${etag} ${contentDigest}`
}
