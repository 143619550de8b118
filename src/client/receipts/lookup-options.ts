import { BadOptions } from '../../lib/bad-options.ts'
import { aboveZero, isSignal, kindOf, nounOf, type OptionRules } from '../options.ts'
import type { Token } from '../token.ts'
import { commonRules, mostReceipts, requireOptions, type VerifyOptions } from './verify-options.ts'

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

export function requireLookup(daemons: unknown, name: unknown, options: unknown): void {
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

export function requireName(name: unknown): asserts name is string {
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
