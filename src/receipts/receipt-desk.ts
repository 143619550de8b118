import { LRUCache } from 'lru-cache'
import type { Lifetime } from '../cache/answer.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { ReceiptRequest } from '../receipt-format/receipt-components.ts'
import { wantedLabels } from './accept-signature.ts'
import { AnswerReceipts } from './answer-receipts.ts'
import { liveReceiptMs } from './receipt-lifetime.ts'
import type { ReceiptDeskDeps, ReceiptWish, WantedLabels } from './receipt-wish.ts'
import { requestDigestOf } from './request-digest.ts'
import { SetProofs } from './set-proofs.ts'

export interface ReceiptDeskOptions {
  /** Whether a response has a receipt even if the caller did not ask for one. */
  readonly always: boolean
}

/** The maximum number of answers whose receipts are kept. The receipts of one answer take up to 4 KiB. */
const mostAnswers = 10_000

/** The label of a signature that the caller did not ask for. */
const ownLabel = 'bft'
const unasked: WantedLabels = { answer: ownLabel, set: undefined }

/** The latest `accept-signature` header, parsed. It is kept because nearly all callers send the same one. */
interface Heard {
  readonly header: string
  readonly keyid: string
  /** Undefined if the caller wants neither a receipt nor a proof. */
  readonly labels: WantedLabels | undefined
}

/**
 * Makes receipts of answers. Keeps the receipts of the answers that were used last, so that it does not often
 * sign the same receipt twice.
 */
export class ReceiptDesk {
  readonly #options: ReceiptDeskOptions
  readonly #deps: ReceiptDeskDeps
  /**
   * The receipts of each answer. The key is the answer's provenance. If an answer has none, the key is the
   * answer itself.
   */
  readonly #known = new WeakMap<object, AnswerReceipts>()
  /**
   * The answers whose receipts were used last. The receipts of all other answers are dropped, because the
   * cache of answers does not count the memory that receipts take.
   */
  readonly #recent = new LRUCache<AnswerReceipts, true>({
    max: mostAnswers,
    dispose: (_, receipts) => receipts.forget(),
  })
  readonly #proofs: SetProofs
  #heard: Heard | undefined

  constructor(options: ReceiptDeskOptions, deps: ReceiptDeskDeps) {
    this.#options = options
    this.#deps = deps
    this.#proofs = new SetProofs(deps)
  }

  /**
   * Returns the labels of the signatures for a response. Undefined if the caller wants none and `always` is
   * false.
   * @param header the value of `accept-signature`.
   * @param wall the present time, milliseconds since 1970.
   */
  labelsFor(header: string | string[] | undefined, wall: number): WantedLabels | undefined {
    if (header === undefined) return this.#options.always ? unasked : undefined
    const { keyid } = this.#deps.keys.signing(wall).key
    const text = String(header)
    if (this.#heard?.header !== text || this.#heard.keyid !== keyid)
      this.#heard = { header: text, keyid, labels: this.#labelsIn(text, keyid) }
    return this.#heard.labels
  }

  /**
   * Returns the request's `content-digest` for its receipt. Undefined if `requestDigestOf` rejects the
   * caller's `header`.
   */
  requestDigest(body: Uint8Array, header: string | string[] | undefined): string | undefined {
    return requestDigestOf(body, header === undefined ? undefined : String(header))
  }

  /**
   * Returns the response headers that the caller wants: those of a receipt, of a proof from the signed set of
   * names, or of both. Undefined if neither can be made, for example because too many receipts wait or the
   * set does not prove the answer.
   */
  headersFor(wish: ReceiptWish): MaybePromise<Record<string, string> | undefined> {
    const { answer, set } = wish.labels
    if (set === undefined) return this.#answerHeaders(wish, answer)
    return whenKnown(this.#proofs.headersFor(set, wish), (proof) => {
      const own = this.#options.always && proof === undefined ? ownLabel : undefined
      return whenKnown(this.#answerHeaders(wish, answer ?? own), (receipt) => joined(receipt, proof))
    })
  }

  /**
   * Returns how long a receipt is valid, in milliseconds, if its answer is not from the mirror. If the answer
   * ends earlier, the receipt ends with it.
   */
  lastsMs(lifetime: Lifetime | undefined): number {
    return liveReceiptMs(lifetime)
  }

  #labelsIn(header: string, keyid: string): WantedLabels | undefined {
    const labels = wantedLabels(header, keyid)
    if (labels.answer !== undefined || labels.set !== undefined) return labels
    return this.#options.always ? unasked : undefined
  }

  #answerHeaders(
    wish: ReceiptWish,
    label: string | undefined,
  ): MaybePromise<Record<string, string> | undefined> {
    if (label === undefined) return undefined
    const { answer } = wish.served
    const of = answer.provenance ?? answer
    const kept = this.#known.get(of)
    let known = kept?.isOutdatedFor(wish) ? undefined : kept
    const again = known?.again(wish, label)
    if (again !== undefined) return again
    if (answer.agreement.agreed.length === 0 || !isPrintable(wish.request)) return undefined
    if (known === undefined) {
      const electors = answer.provenance?.electors ?? this.#deps.electors()
      if (electors === undefined) return undefined
      known = new AnswerReceipts(wish, electors, this.#deps)
      this.#known.set(of, known)
    }
    if (this.#recent.get(known) === undefined) this.#recent.set(known, true)
    return known.headersFor(wish, label)
  }
}

/** Joins the headers of a receipt and of a proof. Their signatures have different labels. */
function joined(
  receipt: Record<string, string> | undefined,
  proof: Record<string, string> | undefined,
): Record<string, string> | undefined {
  if (receipt === undefined || proof === undefined) return receipt ?? proof
  const both = (name: string) => `${receipt[name]}, ${proof[name]}`
  return {
    ...receipt,
    ...proof,
    'signature-input': both('signature-input'),
    signature: both('signature'),
  }
}

/** Whether the request is printable ASCII, as a signature base requires (RFC 9421, 2.5). */
function isPrintable({ path, query, contentDigest = '' }: ReceiptRequest): boolean {
  return printable.test(path) && printable.test(query) && printable.test(contentDigest)
}

const printable = /^[\x20-\x7e]*$/
