import { milliseconds } from '../../lib/clock.ts'
import { checkedAddress } from '../address.ts'
import { inTime } from '../in-time.ts'
import { capital } from '../options.ts'
import { tokenFor, tokenFunction } from '../token.ts'
import { type AskedReceipt, type AskFailure, askForReceipt, type ReceiptAsk } from './ask-for-receipt.ts'
import { listedKeys } from './key-directory.ts'
import {
  type ReceiptDaemon,
  type ReceiptLookupOptions,
  requireLookup,
  requireName,
} from './lookup-options.ts'
import { checkedPins } from './pins.ts'
import { ReceiptRefusal } from './refusals.ts'
import type { ReceiptQuestion, SavedReceipt } from './saved-receipt.ts'
import type { ReceiptVerdict } from './verdict.ts'
import { verifyReceipt } from './verify-receipt.ts'

/** A daemon that gave no receipt, and the reason. */
export interface UnheardDaemon extends AskFailure {
  readonly url: string
}

/** The outcome of a lookup. The caller can keep the receipts and show them to others. */
export interface ReceiptLookup {
  readonly verdict: ReceiptVerdict
  readonly question: ReceiptQuestion
  readonly receipts: readonly SavedReceipt[]
  readonly unheard: readonly UnheardDaemon[]
}

/**
 * Returns the question for the entry of a name or of a party. A string with `::` is a party id.
 * @throws BadOptions if `name` is empty, `.` or `..`, or is no well-formed string.
 */
export function lookupQuestion(name: string): ReceiptQuestion {
  requireName(name)
  const kind = name.includes('::') ? 'by-party' : 'by-name'
  return { method: 'GET', path: `/api/scan/v0/ans-entries/${kind}/${encodeURIComponent(name)}` }
}

/**
 * Asks all daemons for a name or a party, and requires `k` equal answers from daemons of different
 * owners. Waits for every daemon, because a contradicting answer may come last.
 * @throws ClientError for a wrong address or token; BadOptions; the errors of `verifyReceipt`; the
 * signal's reason.
 */
export async function lookupWithReceipts(
  daemons: readonly ReceiptDaemon[],
  name: string,
  options: ReceiptLookupOptions,
): Promise<ReceiptLookup> {
  requireLookup(daemons, name, options)
  const { signal, timeoutMs = milliseconds('10s'), ...verification } = options
  await checkedPins(verification.pins)
  const question = lookupQuestion(name)
  const bases = daemons.map(({ url }) => checkedAddress(url))
  const asks = daemons.map(async ({ token }, index) => ({
    base: bases[index] ?? '',
    token: await inTime({ base: tokenFunction, timeoutMs, signal }, (signal) => tokenFor(token, signal)),
    question,
    timeoutMs,
    signal,
  }))
  const heard = await Promise.all((await Promise.all(asks)).map(askWithKeys))
  signal?.throwIfAborted()
  const receipts = heard.flatMap((one) => (one.kind === 'receipt' ? [one.receipt] : []))
  const unheard = heard.flatMap((one) => {
    if (one.kind === 'receipt') return []
    const { base, says, code, retryable } = one
    return [{ url: base, says, code, retryable }]
  })
  const verdict = await verifyReceipt(receipts, { ...verification, question })
  return { verdict: namingUnheard(verdict, unheard), question, receipts, unheard }
}

/**
 * Adds the public keys that the daemon publishes to its receipt. A verifier that pinned only the id
 * of a key finds the key itself there.
 */
async function askWithKeys(ask: ReceiptAsk): Promise<AskedReceipt> {
  const asked = await askForReceipt(ask)
  if (asked.kind === 'none') return asked
  const { base, timeoutMs, signal } = ask
  const keys = await listedKeys({ base, timeoutMs, signal })
  return keys.length === 0 ? asked : { ...asked, receipt: { ...asked.receipt, keys } }
}

function namingUnheard(verdict: ReceiptVerdict, unheard: readonly UnheardDaemon[]): ReceiptVerdict {
  if (verdict.kind === 'verified') return verdict
  const isOffline = unheard.length > 0 && verdict.others.length === 0 && unheard.every(isUnreachable)
  const refused = isOffline ? { ...verdict, ...new ReceiptRefusal('nobodyAnswers').outcome } : verdict
  return {
    ...refused,
    says: [
      refused.says,
      ...unheard.map(({ says }) => `${/^https?:/.test(says) ? says : capital(says)}.`),
    ].join(' '),
  }
}

function isUnreachable({ code }: UnheardDaemon): boolean {
  return code === 'unreachable'
}
