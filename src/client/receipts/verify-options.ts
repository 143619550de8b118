import { BadOptions } from '../../base/lib/bad-options.ts'
import { hasMethods, isTime, kindOf, type OptionRules, problemOf } from '../../base/lib/option-rules.ts'
import type { Ed25519Engine } from './ed25519-engine.ts'
import type { ReceiptMemory } from './memory.ts'
import type { ReceiptPin } from './pins.ts'
import type { ReceiptQuestion } from './saved-receipt.ts'

export const mostReceipts = 100

export interface VerifyOptions {
  /** The keys of the daemons that the verifier trusts. */
  readonly pins: readonly ReceiptPin[]
  /** The question that the verifier asked. A receipt for another question is refused. */
  readonly question: ReceiptQuestion
  /** The number of owners that must vouch for equal answers; 1 by default. */
  readonly k?: number | undefined
  /** Refuses a receipt that has expired. By default, its verdict is `provedThen`. */
  readonly current?: boolean | undefined
  /** The time by which a receipt is current or not; by default the present. */
  readonly now?: Date | undefined
  /** How many seconds the clocks of the daemon and of this machine may differ; 300 by default. */
  readonly skewSeconds?: number | undefined
  /**
   * The maximum age of the answer, in seconds. `skewSeconds` does not extend it. By default, any
   * age is accepted.
   */
  readonly maxAgeSeconds?: number | undefined
  /**
   * The lowest threshold that a receipt may state; 1 by default. The receipt must also name at
   * least as many super validators as its own threshold.
   */
  readonly threshold?: number | undefined
  /** The minimum number of operators that agreed; 0 by default. */
  readonly operators?: number | undefined
  /**
   * The digests of the accepted lists of super validators. By default, only the list in the last
   * receipt of the key is accepted, as `memory` has it. If `memory` has none, any list is accepted.
   */
  readonly rosters?: readonly string[] | undefined
  /**
   * The receipts that earlier verifications accepted. With a memory, the verifier refuses an answer
   * that is older than an accepted one, and a changed list of super validators.
   */
  readonly memory?: ReceiptMemory | undefined
  /** Verifies ed25519 in place of WebCrypto. */
  readonly engine?: Ed25519Engine | undefined
}

const wholeFrom1 = {
  accepts: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 1,
  expected: 'a whole number from 1',
}

const from0 = {
  accepts: (value: unknown) => Number.isFinite(value) && Number(value) >= 0,
  expected: 'a number from 0',
}

const aQuestion = "the question that you asked, such as lookupQuestion('alice.unverified.cns')"

export const commonRules = {
  pins: {
    accepts: (value: unknown) => Array.isArray(value) && value.length > 0,
    expected: "a list of keys, such as [{ name: 'acme', key }]",
  },
  k: wholeFrom1,
  now: {
    accepts: (value: unknown) => isTime(value) && Number(value) >= 0,
    expected: 'a valid Date after 1970',
  },
  current: { accepts: (value: unknown) => typeof value === 'boolean', expected: 'true or false' },
  skewSeconds: from0,
  maxAgeSeconds: from0,
  threshold: wholeFrom1,
  operators: from0,
  rosters: {
    accepts: (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
    expected: 'a list of digests',
  },
  memory: { accepts: hasMethods('rosterOf', 'newest', 'accept'), expected: 'a ReceiptMemory' },
  engine: { accepts: (value: unknown) => typeof value === 'function', expected: 'a function' },
} as const satisfies OptionRules & Readonly<Record<keyof Omit<VerifyOptions, 'question'>, unknown>>

const verifyRules: OptionRules = {
  ...commonRules,
  question: { accepts: (value: unknown) => kindOf(value) === 'Object', expected: aQuestion },
}

export function requireVerifyOptions(options: unknown): void {
  requireOptions(options, verifyRules, 'a verification')
  const { question } = options as Partial<VerifyOptions>
  if (question === undefined)
    throw new BadOptions([`A verification needs the option question: ${aQuestion}.`])
}

export function requireOptions(options: unknown, rules: OptionRules, of: string): void {
  const problem = problemOf(options, rules, of)
  if (problem !== undefined) throw new BadOptions([problem])
  if ((options as Partial<VerifyOptions>).pins === undefined)
    throw new BadOptions([`The option pins of ${of} must be ${commonRules.pins.expected}; it is undefined.`])
}
