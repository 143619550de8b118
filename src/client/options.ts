import { aboveZero, isSignal, isTime, type OptionRules, problemOf } from '../base/lib/option-rules.ts'

const callRules: OptionRules = {
  signal: { accepts: isSignal, expected: 'an AbortSignal' },
  live: { accepts: (value) => typeof value === 'boolean', expected: 'true or false' },
  notBefore: { accepts: isTime, expected: 'a valid Date, such as answer.agreedAt' },
}

export const callOptions: readonly string[] = Object.keys(callRules)

export function problemOfCall(options: unknown): string | undefined {
  return isSignal(options)
    ? 'The options of a call must be an object: write { signal } in place of the signal.'
    : problemOf(options, callRules, 'a call')
}

/**
 * Any `url` and `token` pass: `checkedAddress` and `checkedToken` report them with better messages.
 */
export const clientRules: OptionRules = {
  url: { accepts: () => true, expected: 'a URL' },
  token: { accepts: () => true, expected: 'a text or a function' },
  timeoutMs: aboveZero,
}
