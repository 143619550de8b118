/**
 * A field of a reply that must equal a parameter of the question. Otherwise the reply answers
 * another question.
 */
export interface RepeatedParam {
  readonly member: readonly string[]
  readonly param: string
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
