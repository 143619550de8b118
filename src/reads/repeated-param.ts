/**
 * A field of a reply that must repeat a parameter of the question. If it does not, the reply answers another
 * question.
 */
export interface RepeatedParam {
  /** The keys that lead to the field, from the outermost object inwards. */
  readonly member: readonly string[]
  readonly param: string
}

/**
 * Whether a well-formed reply repeats the parameter of the question.
 * @param repeated undefined for a read whose replies repeat no parameter; the result is then true.
 */
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
