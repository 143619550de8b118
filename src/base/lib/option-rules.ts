import { similarWord } from './similar-words.ts'

export type OptionRules = Readonly<
  Record<string, { readonly accepts: (value: unknown) => boolean; readonly expected: string }>
>

/**
 * Checks options at run time, because plain JavaScript has no compiler that checks them.
 * @param owner `a call` or `a client`, in the returned sentence.
 * @returns a sentence about the first problem. It never quotes a string value, which may be a
 * secret.
 */
export function problemOf(options: unknown, rules: OptionRules, owner: string): string | undefined {
  const known = Object.keys(rules)
  const names = known.join(', ')
  if (kindOf(options) !== 'Object')
    return `The options of ${owner} must be an object with ${names}; they are ${nounOf(options)}.`
  for (const [name, value] of Object.entries(options as object)) {
    if (!Object.hasOwn(rules, name)) {
      const meant = similarWord(name, known)
      const hint = meant === undefined ? '; it' : `; did you mean ${meant}? It`
      return `${capital(owner)} takes no option ${name}${hint} takes ${names}.`
    }
    const rule = rules[name]
    if (value !== undefined && rule?.accepts(value) === false)
      return `The option ${name} of ${owner} must be ${rule.expected}; it is ${nounOf(value)}.`
  }
  return undefined
}

export const aboveZero = {
  accepts: (value: unknown) => Number.isFinite(value) && Number(value) > 0,
  expected: 'a finite number above 0',
}

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
 * Looks at properties instead of the class, to accept signals of other windows and of polyfills.
 */
export function isSignal(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { aborted, addEventListener } = value as Partial<AbortSignal>
  return typeof aborted === 'boolean' && typeof addEventListener === 'function'
}

/**
 * Describes a value for an error message: `the number 7`, `a list`, `an AbortSignal`. Never quotes
 * a string, because a string may be a secret.
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

export function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}

export function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
