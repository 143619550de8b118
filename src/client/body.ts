import { SpliceError } from '../base/errors/splice.ts'
import { canonicalJson, isJsonObject, type Json } from '../base/lib/canonical-json.ts'
import { type Leaf, parseParty } from '../core/reads/leaves.ts'
import { checkedSize, checkListLength, rejectToken } from '../core/reads/param-text.ts'
import type { Pattern } from '../core/reads/pattern.ts'
import { misfit, shapeOf } from '../core/reads/reading.ts'

/**
 * Checks the body of a question and returns it as JSON text. The daemon fills in defaults and sorts
 * lists.
 * @throws SpliceError `malformedBody`, which names the first wrong field. A malformed party id,
 * page size or page token has an error of its own.
 */
export function bodyText(pattern: Pattern, body: unknown): string {
  requireFit(pattern, body, '')
  try {
    return canonicalJson(body as Json)
  } catch (cause) {
    throw new SpliceError('malformedBody', { why: 'the body cannot be written as JSON' }, { cause })
  }
}

function requireFit(pattern: Pattern, value: unknown, at: string): void {
  if (typeof pattern === 'string') return requireLeaf(pattern, value, at)
  if (value === null && mayLack(pattern)) return
  if ('refused' in pattern) return rejectToken(pattern.refused)
  if ('maybe' in pattern) return requireFit(pattern.maybe, value, at)
  if ('choice' in pattern) return requireFit(pattern.choice, value, at)
  if ('object' in pattern) return requireMembers(pattern.object, value, at)
  if ('list' in pattern) return requireElements(pattern.list, value, at)
  if ('atMost' in pattern && Array.isArray(value)) checkListLength(at, value)
  if ('of' in pattern) requireFit(pattern.of, value, at)
  if (shapeOf(pattern).read(value, { filled: false }) === misfit) throw malformed(at, expected(pattern))
}

function requireLeaf(leaf: Leaf, value: unknown, at: string): void {
  if (nouns[leaf] === nouns.party && typeof value === 'string') parseParty(value)
  if (shapeOf(leaf).read(value, { filled: false }) === misfit) throw malformed(at, expected(leaf))
  if (leaf === 'page size') checkedSize(value as number)
}

function requireMembers(members: Readonly<Record<string, Pattern>>, value: unknown, at: string): void {
  if (!isJsonObject(value)) throw malformed(at, 'must be an object')
  for (const [key, pattern] of Object.entries(members)) {
    if (value[key] !== undefined) requireFit(pattern, value[key], inside(at, key))
    else if (!mayLack(pattern)) throw malformed(inside(at, key), 'is missing')
  }
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(members, key) || value[key] === undefined) continue
    throw malformed(inside(at, key), `is not known; known are ${Object.keys(members).join(', ')}`)
  }
}

function mayLack(pattern: Pattern): boolean {
  return typeof pattern === 'object' && ('maybe' in pattern || 'refused' in pattern)
}

function requireElements(element: Pattern, value: unknown, at: string): void {
  if (!Array.isArray(value)) throw malformed(at, 'must be a list')
  for (const [index, one] of value.entries()) requireFit(element, one, inside(at, String(index)))
}

function inside(at: string, key: string): string {
  return at === '' ? key : `${at}.${key}`
}

function malformed(at: string, problem: string): SpliceError {
  return new SpliceError('malformedBody', { why: `${at === '' ? 'the body' : at} ${problem}` })
}

function expected(pattern: Pattern): string {
  if (typeof pattern === 'string') return `must be ${nouns[pattern] ?? `a ${pattern}`}`
  if ('oneOf' in pattern) return `must be one of ${pattern.oneOf.join(', ')}`
  if ('atMost' in pattern) return `must have a length of at most ${pattern.atMost}`
  if ('atLeast' in pattern) return `must have a length of at least ${pattern.atLeast}`
  return 'has another shape'
}

const nouns: Partial<Record<Leaf, string>> = {
  integer: 'an integer',
  'page size': 'an integer',
  instant: 'a time of ISO 8601 with its offset',
  party: 'a party id',
  'one party': 'a party id',
  'open object': 'a json object',
}
