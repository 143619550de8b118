import { milliseconds } from '../../lib/clock.ts'
import { checkedAddress } from '../address.ts'
import { checkedToken } from '../token.ts'
import { askForReceipt } from './ask-for-receipt.ts'
import type { ReceiptPin } from './pins.ts'
import type { ReceiptQuestion, SavedReceipt } from './saved-receipt.ts'
import type { SignedThing } from './signature-forms.ts'
import { type ReceiptVerdict, type VerifyOptions, verifyReceipt } from './verify-receipt.ts'

/** A daemon to ask, by its public address. */
export interface ReceiptDaemon {
  readonly url: string | URL
  readonly token?: string
}

/** The options of a lookup: those of a verification, whose question follows from the name. */
export interface ReceiptLookupOptions extends Omit<VerifyOptions, 'question' | 'pins'> {
  readonly pins: readonly ReceiptPin[]
  /** What is to be signed: `answer` by default, or the `set` of names of the latest snapshot, from which the answer follows. */
  readonly signed?: SignedThing
  readonly signal?: AbortSignal
  /** How long a daemon may take; 10,000 by default. */
  readonly timeoutMs?: number
}

/** A daemon that gave no receipt, and a clause that says why. */
export interface UnheardDaemon {
  readonly url: string
  readonly says: string
}

/** The outcome of a lookup, and the receipts that can be kept and shown to others. */
export interface ReceiptLookup {
  readonly verdict: ReceiptVerdict
  readonly question: ReceiptQuestion
  readonly receipts: readonly SavedReceipt[]
  readonly unheard: readonly UnheardDaemon[]
}

/** The question for the entry of a name, or of a party, whose id contains `::`. */
export function lookupQuestion(name: string): ReceiptQuestion {
  const kind = name.includes('::') ? 'by-party' : 'by-name'
  // URL parsers would resolve these two as relative paths.
  const segment = name === '.' || name === '..' ? name.replaceAll('.', '%2E') : encodeURIComponent(name)
  return { method: 'GET', path: `/api/scan/v0/ans-entries/${kind}/${segment}` }
}

/**
 * Asks all daemons for a name or a party, and wants `k` equal answers of daemons of different owners. It waits for every
 * daemon, so that an answer that differs is not missed.
 * @throws ClientError for a wrong address or token; what `verifyReceipt` throws; the signal's reason. All by its promise.
 */
export async function lookupWithReceipts(
  daemons: readonly ReceiptDaemon[],
  name: string,
  options: ReceiptLookupOptions,
): Promise<ReceiptLookup> {
  const { signal, signed, timeoutMs = milliseconds('10s'), ...verification } = options
  const question = lookupQuestion(name)
  const asks = daemons.map(({ url, token }) => ({
    base: checkedAddress(url),
    token: checkedToken(token),
    question,
    signed,
    timeoutMs,
    signal,
  }))
  const heard = await Promise.all(asks.map(askForReceipt))
  signal?.throwIfAborted()
  const receipts = heard.flatMap((one) => (one.kind === 'receipt' ? [one.receipt] : []))
  const unheard = heard.flatMap((one) => (one.kind === 'none' ? [{ url: one.base, says: one.says }] : []))
  const verdict = await verifyReceipt(receipts, { ...verification, question })
  return { verdict, question, receipts, unheard }
}
