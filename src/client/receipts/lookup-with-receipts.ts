import { BadOptions } from '../../base/lib/bad-options.ts'
import { milliseconds } from '../../base/lib/clock.ts'
import {
  aboveZero,
  capital,
  isSignal,
  kindOf,
  nounOf,
  type OptionRules,
} from '../../base/lib/option-rules.ts'
import { checkedAddress } from '../address.ts'
import { inTime } from '../in-time.ts'
import type { Token } from '../token.ts'
import { tokenFor, tokenFunction } from '../token.ts'
import {
  type AskedReceipt,
  type AskFailure,
  askForReceipt,
  listedKeys,
  type ReceiptAsk,
} from './ask-for-receipt.ts'
import { nameBases } from './name-question.ts'
import { checkedPins } from './pins.ts'
import { ReceiptRefusal } from './refusals.ts'
import type { ReceiptQuestion, SavedReceipt } from './saved-receipt.ts'
import type { ReceiptVerdict } from './verdict.ts'
import { commonRules, mostReceipts, requireOptions, type VerifyOptions } from './verify-options.ts'
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
 * owners. Waits for every daemon, because a contradicting answer may come last. Refuses receipts
 * that have expired, unless `current` is false.
 * @throws ClientError for a wrong address or token; BadOptions; the errors of `verifyReceipt`; the
 * signal's reason.
 */
export async function lookupWithReceipts(
  daemons: readonly ReceiptDaemon[],
  name: string,
  options: ReceiptLookupOptions,
): Promise<ReceiptLookup> {
  requireLookup(daemons, name, options)
  const { signal, timeoutMs = milliseconds('10s'), current = true, ...verification } = options
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
  const verdict = await verifyReceipt(receipts, { ...verification, current, question })
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
  if (verdict.kind !== 'refused') return verdict
  const isOffline =
    unheard.length > 0 && verdict.others.length === 0 && unheard.every(({ code }) => code === 'unreachable')
  const refused = isOffline ? { ...verdict, ...new ReceiptRefusal('nobodyAnswers').outcome } : verdict
  return {
    ...refused,
    says: [
      refused.says,
      ...unheard.map(({ says }) => `${/^https?:/.test(says) ? says : capital(says)}.`),
    ].join(' '),
  }
}

export interface ReceiptDaemon {
  /** The daemon's public address, in any form that `createClient` accepts. */
  readonly url: string | URL
  readonly token?: Token
}

/**
 * The options of a lookup: those of a verification except `question`, which follows from the name.
 */
export interface ReceiptLookupOptions extends Omit<VerifyOptions, 'question'> {
  readonly signal?: AbortSignal | undefined
  /** The longest time of each request to a daemon, in milliseconds; 10,000 by default. */
  readonly timeoutMs?: number | undefined
}

const lookupRules = {
  ...commonRules,
  signal: { accepts: isSignal, expected: 'an AbortSignal' },
  timeoutMs: aboveZero,
} as const satisfies OptionRules & Readonly<Record<keyof ReceiptLookupOptions, unknown>>

const example = "such as { url: 'https://scan.example.org' }"

function requireLookup(daemons: unknown, name: unknown, options: unknown): void {
  if (!Array.isArray(daemons) || daemons.length === 0 || daemons.length > mostReceipts) {
    const got = Array.isArray(daemons) ? daemons.length : nounOf(daemons)
    throw new BadOptions([
      `lookupWithReceipts takes a list of 1 to ${mostReceipts} daemons first; it got ${got}.`,
    ])
  }
  for (const [index, daemon] of daemons.entries()) requireDaemon(daemon, index)
  requireName(name)
  requireOptions(options, lookupRules, 'a lookup')
}

function requireDaemon(daemon: unknown, index: number): void {
  if (kindOf(daemon) !== 'Object')
    throw new BadOptions([`A daemon must be an object ${example}; daemon ${index + 1} is ${nounOf(daemon)}.`])
}

function requireName(name: unknown): asserts name is string {
  const problem = typeof name === 'string' ? nameProblem(name) : nounOf(name)
  if (problem === undefined) return
  throw new BadOptions([
    `A lookup needs a name or a party, such as 'alice.unverified.cns'; it got ${problem}.`,
  ])
}

function nameProblem(name: string): string | undefined {
  if (name === '' || !name.isWellFormed()) return 'an empty or malformed text'
  // URL parsers resolve `.` and `..` as relative paths, even if they are percent-encoded (WHATWG
  // URL, 4.1).
  return name === '.' || name === '..' ? `${name}, which URLs resolve as a relative path` : undefined
}

/**
 * Returns the question that looks up a name or a party. Daemons serve it on several paths; if the
 * receipt has one of them, the question has the receipt's path.
 */
export function questionAbout(what: string, { path }: Pick<ReceiptQuestion, 'path'>): ReceiptQuestion {
  const asked = lookupQuestion(what)
  const paths = nameBases.map((base) => asked.path.replace('/api/scan/v0', () => base))
  return paths.includes(path) ? { ...asked, path } : asked
}
