import { BadOptions } from '../../lib/bad-options.ts'
import { isSignal, kindOf, nounOf, type OptionRules } from '../options.ts'
import type { Token } from '../token.ts'
import type { SignedThing } from './signature-forms.ts'
import { commonRules, requireOptions, type VerifyOptions } from './verify-options.ts'

/** A daemon to ask. */
export interface ReceiptDaemon {
  /** The public address, as `createClient` takes it. */
  readonly url: string | URL
  readonly token?: Token
}

/** The options of a lookup: those of a verification, whose question follows from the name. */
export interface ReceiptLookupOptions extends Omit<VerifyOptions, 'question'> {
  /** What is to be signed: `answer` by default, or the `set` of names of the latest snapshot, from which the answer follows. */
  readonly signed?: SignedThing | undefined
  readonly signal?: AbortSignal | undefined
  /** How long a daemon may take; 10,000 by default. */
  readonly timeoutMs?: number | undefined
}

const lookupRules = {
  ...commonRules,
  signed: { is: (value: unknown) => value === 'answer' || value === 'set', what: "'answer' or 'set'" },
  signal: { is: isSignal, what: 'an AbortSignal' },
  timeoutMs: {
    is: (value: unknown) => Number.isFinite(value) && Number(value) > 0,
    what: 'a number above 0',
  },
} as const satisfies OptionRules & Readonly<Record<keyof ReceiptLookupOptions, unknown>>

const example = "such as { url: 'https://scan.example.org' }"

/**
 * Checks what a lookup is given, before anybody is asked.
 * @throws BadOptions
 */
export function requireLookup(daemons: unknown, name: unknown, options: unknown): void {
  if (!Array.isArray(daemons))
    throw new BadOptions([`lookupWithReceipts takes a list of daemons first; it got ${nounOf(daemons)}.`])
  for (const [index, daemon] of daemons.entries()) requireDaemon(daemon, index)
  requireName(name)
  requireOptions(options, lookupRules, 'a lookup')
}

function requireDaemon(daemon: unknown, index: number): void {
  if (kindOf(daemon) !== 'Object')
    throw new BadOptions([`A daemon must be an object ${example}; daemon ${index + 1} is ${nounOf(daemon)}.`])
}

/**
 * Checks the name or the party of a lookup.
 * @throws BadOptions
 */
export function requireName(name: unknown): asserts name is string {
  const isName = typeof name === 'string' && name !== '' && name.isWellFormed()
  if (isName) return
  const given = typeof name === 'string' ? 'an empty or malformed text' : nounOf(name)
  throw new BadOptions([`A lookup needs a name or a party, such as 'alice.unverified.cns'; it got ${given}.`])
}
