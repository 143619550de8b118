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
  readonly always: boolean
}

/** The number of answers whose receipts are kept. The receipts of one answer take up to 4 KiB. */
const mostAnswers = 10_000

const ownLabel = 'bft'
const unasked: WantedLabels = { answer: ownLabel, set: undefined }

interface ParsedAcceptSignature {
  readonly header: string
  readonly keyid: string
  readonly labels: WantedLabels | undefined
}

export class ReceiptDesk {
  readonly #options: ReceiptDeskOptions
  readonly #deps: ReceiptDeskDeps
  /** The key is the answer's provenance, or the answer itself if it has none. */
  readonly #known = new WeakMap<object, AnswerReceipts>()
  /**
   * The answers whose receipts were used last. All other receipts are dropped, because the cache of
   * answers does not count their memory.
   */
  readonly #recent = new LRUCache<AnswerReceipts, true>({
    max: mostAnswers,
    dispose: (_, receipts) => receipts.forget(),
  })
  readonly #proofs: SetProofs
  #lastParsed: ParsedAcceptSignature | undefined

  constructor(options: ReceiptDeskOptions, deps: ReceiptDeskDeps) {
    this.#options = options
    this.#deps = deps
    this.#proofs = new SetProofs(deps)
  }

  /**
   * Returns the labels of the signatures for a response; undefined if it needs none.
   * @param header the value of `accept-signature`.
   * @param wall the present time, milliseconds since 1970.
   */
  labelsFor(header: string | string[] | undefined, wall: number): WantedLabels | undefined {
    if (header === undefined) return this.#options.always ? unasked : undefined
    const { keyid } = this.#deps.keys.signing(wall).key
    const text = String(header)
    if (this.#lastParsed?.header !== text || this.#lastParsed.keyid !== keyid)
      this.#lastParsed = { header: text, keyid, labels: this.#labelsIn(text, keyid) }
    return this.#lastParsed.labels
  }

  /**
   * Returns the `content-digest` of the request that the receipt covers. Undefined if the caller's
   * own `content-digest` (`header`) is malformed or does not match the body.
   */
  requestDigest(body: Uint8Array, header: string | string[] | undefined): string | undefined {
    return requestDigestOf(body, header === undefined ? undefined : String(header))
  }

  headersFor(wish: ReceiptWish): MaybePromise<Record<string, string> | undefined> {
    const { answer, set } = wish.labels
    if (set === undefined) return this.#answerHeaders(wish, answer)
    return whenKnown(this.#proofs.headersFor(set, wish), (proof) => {
      const own = this.#options.always && proof === undefined ? ownLabel : undefined
      return whenKnown(this.#answerHeaders(wish, answer ?? own), (receipt) => joined(receipt, proof))
    })
  }

  /**
   * Returns how long a receipt is valid if its answer is not from the mirror. The receipt ends
   * earlier if the answer does.
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
    const again = known?.latestHeadersIfSame(wish, label)
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

/** A signature covers only printable ASCII (RFC 9421, 2.5). */
function isPrintable({ path, query, contentDigest = '' }: ReceiptRequest): boolean {
  return printable.test(path) && printable.test(query) && printable.test(contentDigest)
}

const printable = /^[\x20-\x7e]*$/
