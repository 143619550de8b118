import { LRUCache } from 'lru-cache'
import { base64UrlOf } from '../base/lib/base64.ts'
import { digest } from '../base/lib/digest.ts'
import type { MaybePromise } from '../base/lib/maybe-promise.ts'
import {
  type FieldMember,
  type InnerList,
  MalformedField,
  parseDictionary,
  printItem,
} from '../base/lib/structured-fields.ts'
import { coverable, type ReceiptRequest, receiptTag } from '../base/receipt-format/receipt-components.ts'
import type { Lifetime } from '../core/cache/answer.ts'
import type { ReceiptDeskDeps, ReceiptWish } from './answer-receipts.ts'
import { AnswerReceipts } from './answer-receipts.ts'
import type { ListedKey } from './key-directory.ts'
import { contentDigestField } from './receipt-field.ts'
import { liveReceiptMs } from './receipt-lifetime.ts'

const longestWish = 4_096
const longestLabel = 64

const longestHeader = 512

export interface ReceiptDeskOptions {
  readonly always: boolean
}

/** The number of answers whose receipts are kept. The receipts of one answer take up to 4 KiB. */
const mostAnswers = 10_000

const ownLabel = 'bft'

interface ParsedAcceptSignature {
  readonly header: string
  readonly keyid: string
  readonly label: string | undefined
}

export class ReceiptDesk {
  readonly requestDigest = requestDigestOf
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
  #lastParsed: ParsedAcceptSignature | undefined

  constructor(options: ReceiptDeskOptions, deps: ReceiptDeskDeps) {
    this.#options = options
    this.#deps = deps
  }

  /**
   * Returns the label of the signature for a response; undefined if it needs none.
   * @param header the value of `accept-signature`.
   * @param wall the present time, milliseconds since 1970.
   */
  labelFor(header: string | string[] | undefined, wall: number): string | undefined {
    const unasked = this.#options.always ? ownLabel : undefined
    if (header === undefined) return unasked
    const { keyid } = this.#deps.keys.signing(wall).key
    const text = String(header)
    if (this.#lastParsed?.header !== text || this.#lastParsed.keyid !== keyid)
      this.#lastParsed = { header: text, keyid, label: wantedLabel(text, keyid) ?? unasked }
    return this.#lastParsed.label
  }

  /**
   * Returns how long a receipt is valid if its answer is not from the mirror. The receipt ends
   * earlier if the answer does.
   */
  lastsMs(lifetime: Lifetime | undefined): number {
    return liveReceiptMs(lifetime)
  }

  /** Returns the public keys that verifiers may trust at the time `wall`, in milliseconds since 1970. */
  listedKeys(wall: number): readonly ListedKey[] {
    return this.#deps.keys.listed(wall)
  }

  /** Returns the text of a roster or a vote to which receipts refer, while it is kept. */
  document(name: string): string | undefined {
    return this.#deps.documents.find(name)
  }

  headersFor(wish: ReceiptWish): MaybePromise<Record<string, string> | undefined> {
    const { answer } = wish.served
    const of = answer.provenance ?? answer
    const kept = this.#known.get(of)
    let known = kept?.isOutdatedFor(wish) ? undefined : kept
    const again = known?.latestHeadersIfSame(wish)
    if (again !== undefined) return again
    if (answer.agreement.agreed.length === 0 || !isPrintable(wish.request)) return undefined
    if (known === undefined) {
      const electors = answer.provenance?.electors ?? this.#deps.electors()
      if (electors === undefined) return undefined
      known = new AnswerReceipts(wish, electors, this.#deps)
      this.#known.set(of, known)
    }
    if (this.#recent.get(known) === undefined) this.#recent.set(known, true)
    return known.headersFor(wish)
  }
}

/** A signature covers only printable ASCII (RFC 9421, 2.5). */
function isPrintable({ path, query, contentDigest = '' }: ReceiptRequest): boolean {
  return [path, query, contentDigest].every((text) => /^[\x20-\x7e]*$/.test(text))
}

/**
 * Returns the `content-digest` that the receipt of a request covers: the caller's header, or one
 * made from the body if there is none. Undefined if the header is malformed, too long, or lacks the
 * SHA-256 of the body.
 */
export function requestDigestOf(body: Uint8Array, header: string | string[] | undefined): string | undefined {
  const actual = digest(body)
  if (header === undefined) return contentDigestField(actual)
  const text = String(header)
  return sha256In(text) === actual ? text.trim() : undefined
}

function sha256In(header: string): string | undefined {
  const member = membersOf(header, longestHeader).get('sha-256')
  if (member === undefined || 'items' in member) return undefined
  return member.bare.type === 'bytes' ? base64UrlOf(member.bare.value) : undefined
}

/**
 * Returns the label that a caller chose for the daemon's signature (RFC 9421, 5). Undefined if the
 * caller wants no receipt, or the daemon cannot make it as requested. A malformed or too long header
 * requests no signature.
 * @param header the value of `accept-signature`.
 * @param keyid the id of the key that signs now.
 */
export function wantedLabel(header: string, keyid: string): string | undefined {
  return [...membersOf(header, longestWish)].find(
    ([label, member]) => label.length <= longestLabel && 'items' in member && isWanted(member, keyid),
  )?.[0]
}

/** A malformed or too long header counts as an empty one. */
function membersOf(header: string, longest: number): ReadonlyMap<string, FieldMember> {
  try {
    return parseDictionary(header.length > longest ? '' : header)
  } catch (error) {
    if (error instanceof MalformedField) return new Map()
    throw error
  }
}

function isWanted({ items, parameters }: InnerList, keyid: string): boolean {
  return (
    parameters.get('tag')?.value === receiptTag &&
    (parameters.get('alg')?.value ?? 'ed25519') === 'ed25519' &&
    (parameters.get('keyid')?.value ?? keyid) === keyid &&
    !parameters.has('nonce') &&
    items.every((item) => coverable.has(printItem(item) ?? ''))
  )
}
