import { valueAt } from './value-at.ts'

interface FoundIssue {
  readonly code?: string | undefined
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly expected?: string
  readonly values?: readonly unknown[]
  readonly keys?: readonly string[]
  readonly origin?: string
  readonly minimum?: number | bigint
  readonly maximum?: number | bigint
}

/**
 * zod's built-in messages begin with one of these words. Any other message comes from a schema of
 * this project.
 */
const ofLibrary = /^(?:Invalid|Too|Unrecognized)\b/

/**
 * Returns a sentence such as `page_size must be an integer`.
 * @param whole names the whole value, for an issue without a path
 */
export function issueText(issue: FoundIssue, given: unknown, whole: string): string {
  const where = issue.path.length === 0 ? whole : issue.path.map(String).join('.')
  if (!ofLibrary.test(issue.message)) return `${where}: ${issue.message}`
  const isMissing = issue.path.length > 0 && valueAt(given, issue.path) === undefined
  return `${where} ${isMissing ? 'is missing' : problemOf(issue)}`
}

function problemOf({
  code,
  expected = '',
  values = [],
  keys = [],
  origin = '',
  ...bounds
}: FoundIssue): string {
  switch (code) {
    case 'invalid_type':
      return isNothing(expected) ? 'must be left out' : `must be ${nouns[expected] ?? `a ${expected}`}`
    case 'invalid_value':
      return `must be ${values.length > 1 ? 'one of ' : ''}${values.map(String).join(', ')}`
    case 'too_small':
      return `must ${boundOf(origin, 'at least', bounds.minimum ?? 0)}`
    case 'too_big':
      return `must ${boundOf(origin, 'at most', bounds.maximum ?? 0)}`
    case 'unrecognized_keys':
      return `must not have ${keys.join(', ')}`
    default:
      return 'has another form'
  }
}

function isNothing(expected: string): boolean {
  return expected === 'undefined' || expected === 'never'
}

const nouns: Readonly<Record<string, string>> = {
  int: 'an integer',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  boolean: 'true or false',
}

function boundOf(origin: string, least: string, bound: number | bigint): string {
  if (origin === 'string') return `have ${least} ${bound} ${bound === 1 ? 'character' : 'characters'}`
  if (origin === 'array') return `have ${least} ${bound} ${bound === 1 ? 'element' : 'elements'}`
  return `be ${least} ${bound}`
}
