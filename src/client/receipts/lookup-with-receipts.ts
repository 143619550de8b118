import { milliseconds } from '../../lib/clock.ts'
import { checkedAddress } from '../address.ts'
import { capital } from '../options.ts'
import { tokenFor } from '../token.ts'
import { type AskedReceipt, askForReceipt, type ReceiptAsk } from './ask-for-receipt.ts'
import { listedKeys } from './key-directory.ts'
import {
  type ReceiptDaemon,
  type ReceiptLookupOptions,
  requireLookup,
  requireName,
} from './lookup-options.ts'
import { checkedPins } from './pins.ts'
import type { ReceiptQuestion, SavedReceipt } from './saved-receipt.ts'
import type { ReceiptVerdict } from './verdict.ts'
import { verifyReceipt } from './verify-receipt.ts'

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

/**
 * The question for the entry of a name, or of a party, whose id contains `::`.
 * @throws BadOptions for anything but a text.
 */
export function lookupQuestion(name: string): ReceiptQuestion {
  requireName(name)
  const kind = name.includes('::') ? 'by-party' : 'by-name'
  // URL parsers would resolve these two as relative paths.
  const segment = name === '.' || name === '..' ? name.replaceAll('.', '%2E') : encodeURIComponent(name)
  return { method: 'GET', path: `/api/scan/v0/ans-entries/${kind}/${segment}` }
}

/**
 * Asks all daemons for a name or a party, and wants `k` equal answers of daemons of different owners. It waits for every
 * daemon, so that an answer that differs is not missed.
 * @throws ClientError for a wrong address or token; BadOptions; what `verifyReceipt` throws; the signal's reason. All by its
 * promise.
 */
export async function lookupWithReceipts(
  daemons: readonly ReceiptDaemon[],
  name: string,
  options: ReceiptLookupOptions,
): Promise<ReceiptLookup> {
  requireLookup(daemons, name, options)
  const { signal, signed, timeoutMs = milliseconds('10s'), ...verification } = options
  await checkedPins(verification.pins)
  const question = lookupQuestion(name)
  const bases = daemons.map(({ url }) => checkedAddress(url))
  const asks = daemons.map(async ({ token }, index) => ({
    base: bases[index] ?? '',
    token: await tokenFor(token, signal),
    question,
    signed,
    timeoutMs,
    signal,
  }))
  const heard = await Promise.all((await Promise.all(asks)).map(askWithKeys))
  signal?.throwIfAborted()
  const receipts = heard.flatMap((one) => (one.kind === 'receipt' ? [one.receipt] : []))
  const unheard = heard.flatMap((one) => (one.kind === 'none' ? [{ url: one.base, says: one.says }] : []))
  const verdict = await verifyReceipt(receipts, { ...verification, question })
  return { verdict: namingUnheard(verdict, unheard), question, receipts, unheard }
}

/** The receipt brings the keys that its daemon lists, so that readers can verify it who pinned an id. */
async function askWithKeys(ask: ReceiptAsk): Promise<AskedReceipt> {
  const asked = await askForReceipt(ask)
  if (asked.kind === 'none') return asked
  const { base, timeoutMs, signal } = ask
  const keys = await listedKeys({ base, timeoutMs, signal })
  return keys.length === 0 ? asked : { ...asked, receipt: { ...asked.receipt, keys } }
}

function namingUnheard(verdict: ReceiptVerdict, unheard: readonly UnheardDaemon[]): ReceiptVerdict {
  if (verdict.kind === 'verified') return verdict
  return { ...verdict, says: [verdict.says, ...unheard.map(({ says }) => `${capital(says)}.`)].join(' ') }
}
