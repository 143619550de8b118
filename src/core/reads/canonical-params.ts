import type { z } from 'zod'
import { SpliceError } from '../../base/errors/splice.ts'
import { canonicalJson, type Json } from '../../base/lib/canonical-json.ts'
import { issueText } from '../../base/lib/issue-text.ts'
import { valueAt } from '../../base/lib/value-at.ts'
import { type AnyArguments, paramTexts } from './arguments.ts'
import { checkListLength } from './param-text.ts'
import type { Pattern } from './pattern.ts'
import type { Params, Read } from './read.ts'
import { bodyParam } from './request.ts'
import { schemaOf } from './schema.ts'

/**
 * Checks arguments, and returns the parameters as canonical texts.
 * @throws SpliceError 400 or 404 with Splice's texts; 501 for a page token that only one scan
 * understands.
 */
export function paramsOf(read: Read, given: AnyArguments): Params {
  const params = paramTexts(read.params, given)
  return read.body === undefined
    ? params
    : { ...params, [bodyParam]: canonicalBody(read.body, given[bodyParam]) }
}

/**
 * Returns the canonical text of a request body. Unknown fields are dropped and defaults are filled
 * in, so that equal questions have equal texts.
 * @throws SpliceError 400, and any error that its schema throws.
 */
export function canonicalBody(body: Pattern, given: unknown): string {
  if (given === undefined) throw new SpliceError('missingBody')
  const parsed = schemaOf(body).safeParse(given)
  if (parsed.success) return canonicalJson(parsed.data as Json)
  const withNumbers = readNumbers(given, parsed.error.issues)
  if (withNumbers !== given) return canonicalBody(body, withNumbers)
  const [issue] = parsed.error.issues
  if (issue?.code === 'too_big' && issue.origin === 'array')
    checkListLength(issue.path.join('.'), valueAt(given, issue.path) as readonly unknown[])
  throw new SpliceError('malformedBody', {
    why: issue === undefined ? 'the body has another form' : issueText(issue, given, 'the body'),
  })
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** No body has as many numbers, apart from its lists. */
const mostNumbers = 20

/** Splice takes a number as a text, too: `"page_size": "10"`. */
function readNumbers(given: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  return issues.slice(0, mostNumbers).reduce((body, issue) => {
    const text = valueAt(given, issue.path)
    const isNumber = issue.code === 'invalid_type' && ['number', 'int'].includes(issue.expected)
    return isNumber && typeof text === 'string' && jsonNumber.test(text)
      ? withValue(body, issue.path, Number(text))
      : body
  }, given)
}

function withValue(tree: unknown, [key, ...rest]: readonly PropertyKey[], value: number): unknown {
  if (key === undefined) return value
  const inner = withValue((tree as Record<PropertyKey, unknown>)[key], rest, value)
  return Array.isArray(tree) ? tree.with(Number(key), inner) : { ...(tree as object), [key]: inner }
}
