import { similarWord } from '../lib/similar-words.ts'

/**
 * Maps the name of each option to a check of the option's value, and to a description of the values that
 * pass.
 */
export type OptionRules = Readonly<
  Record<string, { readonly is: (value: unknown) => boolean; readonly what: string }>
>

/**
 * Checks options at run time, because programs in plain JavaScript have no compiler that checks them.
 * @param of what the options are for, as the returned sentence names it: `a call`, `the client`.
 * @param elsewhere maps wrong names that users may try, such as those of the command line, to the right
 * names.
 * @returns a sentence about the first problem. The sentence names the option. It never quotes a string value,
 * which may be a secret. Undefined if there is no problem.
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

export const aboveZero = {
  is: (value: unknown) => Number.isFinite(value) && Number(value) > 0,
  what: 'a finite number above 0',
}

const callRules: OptionRules = {
  signal: { is: isSignal, what: 'an AbortSignal' },
  live: { is: (value) => typeof value === 'boolean', what: 'true or false' },
  notBefore: { is: isTime, what: 'a valid Date, such as answer.agreedAt' },
}

export const callOptions: readonly string[] = Object.keys(callRules)

/**
 * Checks the options of one call, as `problemOf` does. If `options` is itself a signal, instead of an object
 * that contains one, the returned sentence says so.
 */
export function problemOfCall(options: unknown): string | undefined {
  return isSignal(options)
    ? 'The options of a call must be an object: write { signal } in place of the signal.'
    : problemOf(options, callRules, 'a call')
}

/**
 * The rules for the options of a client. They accept any `url` and `token`, which `checkedAddress` and
 * `checkedToken` check later with better error messages.
 */
export const clientRules: OptionRules = {
  url: { is: () => true, what: 'a URL' },
  token: { is: () => true, what: 'a text or a function' },
  timeoutMs: aboveZero,
}

/** Returns a function that checks whether a value is an object with all of these methods. */
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
 * Whether a value is an AbortSignal. The check looks at the value's properties instead of its class, so that
 * it accepts signals from other windows and from replacements of `AbortSignal`.
 */
export function isSignal(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { aborted, addEventListener } = value as Partial<AbortSignal>
  return typeof aborted === 'boolean' && typeof addEventListener === 'function'
}

/**
 * Describes a value for an error message: `the number 7`, `a list`, `null`, `an AbortSignal`. The description
 * never quotes a string, because a string may be a secret.
 */
export function nounOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'number') return `the number ${value}`
  const kind = Array.isArray(value) ? (value.length > 0 ? 'list' : 'empty list') : kindOf(value)
  if (kind === 'Date' && !isTime(value)) return 'an invalid Date'
  const noun = ['String', 'Number', 'Boolean', 'Function', 'Object'].includes(kind)
    ? kind.toLowerCase()
    : kind
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`
}

/**
 * Returns the name of a value's built-in class, such as `Array`, `Date`, `URL` or `String`. The name is
 * `Object` for plain objects and for instances of most other classes.
 */
export function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}

export function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
