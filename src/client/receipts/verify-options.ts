import { BadOptions } from '../../lib/bad-options.ts'
import { hasMethods, isTime, kindOf, type OptionRules, problemOf } from '../options.ts'
import type { Ed25519Engine } from './ed25519-engine.ts'
import type { ReceiptMemory } from './memory.ts'
import type { ReceiptPin } from './pins.ts'
import type { ReceiptQuestion } from './saved-receipt.ts'

export interface VerifyOptions {
  /** The keys that the caller trusts to be of daemons. */
  readonly pins: readonly ReceiptPin[]
  /** The caller's own question. A receipt for another one is refused, whatever it says about itself. */
  readonly question: ReceiptQuestion
  /** How many owners must vouch for equal answers; 1 by default. */
  readonly k?: number | undefined
  /** The time; by default that of this machine. */
  readonly now?: Date | undefined
  /** How far the clocks of the daemon and of this machine may be apart; 300 by default. */
  readonly skewSeconds?: number | undefined
  /** How many seconds ago the answer may have been true; as long as the receipt is valid by default. */
  readonly maxAgeSeconds?: number | undefined
  /** The least threshold of super validators; 1 by default. The threshold of the receipt always has to be met. */
  readonly threshold?: number | undefined
  /** The least number of agreeing operators; 0 by default. */
  readonly operators?: number | undefined
  /** The digests of the accepted rosters. By default the first one of each key is accepted, and remembered in `memory`. */
  readonly rosters?: readonly string[] | undefined
  /** Remembers what was accepted, so that no older answer and no other roster follows. */
  readonly memory?: ReceiptMemory | undefined
  /** Verifies ed25519 in place of WebCrypto. */
  readonly engine?: Ed25519Engine | undefined
}

const wholeFrom1 = {
  is: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 1,
  what: 'a whole number from 1',
}

const from0 = {
  is: (value: unknown) => Number.isFinite(value) && Number(value) >= 0,
  what: 'a number from 0',
}

const aQuestion = "the question that you asked, such as lookupQuestion('alice.unverified.cns')"

/** The rules for the options that a verification and a lookup have in common. */
export const commonRules = {
  pins: { is: Array.isArray, what: "a list of keys, such as [{ name: 'acme', key }]" },
  k: wholeFrom1,
  now: {
    is: (value: unknown) => isTime(value) && Number(value) >= 0,
    what: 'a valid Date after 1970',
  },
  skewSeconds: from0,
  maxAgeSeconds: from0,
  threshold: wholeFrom1,
  operators: from0,
  rosters: {
    is: (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
    what: 'a list of digests',
  },
  memory: { is: hasMethods('rosterOf', 'newest', 'accept'), what: 'a ReceiptMemory' },
  engine: { is: (value: unknown) => typeof value === 'function', what: 'a function' },
} as const satisfies OptionRules & Readonly<Record<keyof Omit<VerifyOptions, 'question'>, unknown>>

const verifyRules: OptionRules = {
  ...commonRules,
  question: { is: (value: unknown) => kindOf(value) === 'Object', what: aQuestion },
}

/** The names that these options have on the command line, and others for the same. */
const namesElsewhere: Readonly<Record<string, string>> = {
  owners: 'k',
  least: 'threshold',
  roster: 'rosters',
  at: 'now',
  time: 'now',
  skew: 'skewSeconds',
  maxAge: 'maxAgeSeconds',
  pin: 'pins',
  key: 'pins',
  keys: 'pins',
  timeout: 'timeoutMs',
}

/**
 * Checks the options of a verification, before any of them is used.
 * @throws BadOptions
 */
export function requireVerifyOptions(options: unknown): void {
  requireOptions(options, verifyRules, 'a verification')
  const { question } = options as Partial<VerifyOptions>
  if (question === undefined)
    throw new BadOptions([`A verification needs the option question: ${aQuestion}.`])
}

/**
 * Checks options, of which `pins` must be there.
 * @throws BadOptions
 */
export function requireOptions(options: unknown, rules: OptionRules, of: string): void {
  const problem = problemOf(options, rules, of, namesElsewhere)
  if (problem !== undefined) throw new BadOptions([problem])
  if ((options as Partial<VerifyOptions>).pins === undefined)
    throw new BadOptions([`The option pins of ${of} must be ${commonRules.pins.what}; it is undefined.`])
}
