import { canonicalOrder, isJsonObject, type Json } from '../../base/lib/canonical-json.ts'
import type { RepeatedParam } from './endpoint.ts'
import type { Pattern } from './pattern.ts'
import type { Forms, Read } from './read.ts'
import { type Findings, misfit, shapeOf } from './shape.ts'

export interface Reading {
  readonly value: unknown
  /** Whether defaults were filled in for fields that the body lacks. */
  readonly filled: boolean
  /** Whether a payload has a member that is null, and that other scans may leave out. */
  readonly nulls: boolean
}

/**
 * Reduces a scan's body to the fields that the read's pattern, or that of its forms, knows. A body
 * with exactly these fields is not copied.
 * @param body parsed JSON that no other code uses, because the returned value may share parts of
 * it.
 * @returns undefined if the body does not fit the pattern.
 */
export function readingOf(
  { reply, forms }: { readonly reply: Pattern; readonly forms?: Forms | undefined },
  body: unknown,
): Reading | undefined {
  const findings: Findings = { filled: false }
  const value = shapeOf(forms?.reply ?? reply).read(body, findings)
  return value === misfit ? undefined : { value, filled: findings.filled, nulls: findings.nulls === true }
}

export function repeatsParam(
  repeated: RepeatedParam | undefined,
  value: unknown,
  params: Readonly<Record<string, string>>,
): boolean {
  if (repeated === undefined) return true
  const at = repeated.member.reduce(
    (inner, key) => (inner as Readonly<Record<string, unknown>> | null | undefined)?.[key],
    value,
  )
  return at === params[repeated.param]
}

/**
 * Sorts the fields of a value by the read's pattern, so that its JSON text does not depend on which
 * scan sent it first.
 * @param value a value made from results of `readingOf`.
 */
export function orderedBy({ reply }: Read, value: unknown): unknown {
  return shapeOf(reply).ordered(value)
}

/**
 * Returns the value, its fields sorted like those of `orderedBy`, without the members of payloads
 * that are null (quorum.md#comparing-votes).
 */
export function withoutNulls({ reply }: Read, value: unknown): unknown {
  return shapeOf(reply).ordered(value, (payload) => notNull(canonicalOrder(payload)))
}

function notNull(value: Json): Json {
  if (Array.isArray(value)) return value.map(notNull)
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([name, member]) => [name, notNull(member)]))
}
