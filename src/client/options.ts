import { similarWord } from '../lib/similar-words.ts'

/** The rule for each option, by the option's name: a check of its value, and the words for what it must be. */
export type OptionRules = Readonly<
  Record<string, { readonly is: (value: unknown) => boolean; readonly what: string }>
>

/**
 * Checks options that no compiler checked.
 * @param of the words for the thing that takes the options, such as `a call`.
 * @param elsewhere names that these options have elsewhere, such as on the command line, each with the one that is meant.
 * @returns a sentence that names the first problem, without a text that may be a secret. Undefined if there is none.
 */
export function problemOf(
  options: unknown,
  rules: OptionRules,
  of: string,
  elsewhere: Readonly<Record<string, string>> = {},
): string | undefined {
  const known = Object.keys(rules)
  const names = known.join(', ')
  if (kindOf(options) !== 'Object')
    return `The options of ${of} must be an object with ${names}; they are ${nounOf(options)}.`
  for (const [name, value] of Object.entries(options as object)) {
    if (!Object.hasOwn(rules, name)) {
      const meant = Object.hasOwn(elsewhere, name) ? elsewhere[name] : similarWord(name, known)
      const hint = meant === undefined ? '; it' : `; did you mean ${meant}? It`
      return `${capital(of)} takes no option ${name}${hint} takes ${names}.`
    }
    const rule = rules[name]
    if (value !== undefined && rule?.is(value) === false)
      return `The option ${name} of ${of} must be ${rule.what}; it is ${nounOf(value)}.`
  }
  return undefined
}

const callRules: OptionRules = {
  signal: { is: isSignal, what: 'an AbortSignal' },
  live: { is: (value) => typeof value === 'boolean', what: 'true or false' },
  notBefore: { is: isTime, what: 'a valid Date, such as answer.agreedAt' },
}

export const callOptions: readonly string[] = Object.keys(callRules)

/** Checks the options of one call, as `problemOf` does. */
export function problemOfCall(options: unknown): string | undefined {
  return isSignal(options)
    ? 'The options of a call must be an object: write { signal } in place of the signal.'
    : problemOf(options, callRules, 'a call')
}

/**
 * The rules for the options of a client. They accept any address and token, because other checks have better
 * errors for them.
 */
export const clientRules: OptionRules = {
  url: { is: () => true, what: 'a URL' },
  token: { is: () => true, what: 'a text or a function' },
}

/** Returns a check whether a value is an object that has all of these methods. */
export function hasMethods(...names: readonly string[]): (value: unknown) => boolean {
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === 'function')
}

export function isTime(value: unknown): boolean {
  return kindOf(value) === 'Date' && !Number.isNaN(Number(value))
}

/**
 * Whether a value is an AbortSignal. It looks at members, so that signals of other windows and of polyfills count too.
 */
export function isSignal(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { aborted, addEventListener } = value as Partial<AbortSignal>
  return typeof aborted === 'boolean' && typeof addEventListener === 'function'
}

/**
 * Describes a value for an error message: `the number 7`, `a list`, `null`, `an AbortSignal`. It shows no text, because
 * that may be a secret.
 */
export function nounOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'number') return `the number ${value}`
  const kind = Array.isArray(value) ? 'list' : kindOf(value)
  if (kind === 'Date' && !isTime(value)) return 'an invalid Date'
  const noun = ['String', 'Number', 'Boolean', 'Function', 'Object'].includes(kind)
    ? kind.toLowerCase()
    : kind
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`
}

/**
 * Returns the name of a value's built-in class, such as `Array`, `Date`, `URL` or `String`. For plain objects
 * and for instances of most classes it is `Object`.
 */
export function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}

export function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
