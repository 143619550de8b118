/**
 * The cache key of a question (quorum.md#cache-keys): trust digest, read and params, each preceded by its
 * length. The length prefixes make keys unique: two different questions never have the same key.
 */
export function cacheKey(
  trustDigest: string,
  read: string,
  params: Readonly<Record<string, string>>,
): string {
  return part(trustDigest) + topic(read, params)
}

/**
 * The unit of invalidation (quorum.md#invalidation): one question under every trust digest or, without
 * params, every question of a read.
 */
export function topic(read: string, params: Readonly<Record<string, string>> = {}): string {
  const names = Object.keys(params)
  if (names.length > 1) names.sort()
  let text = part(read)
  for (const name of names) text += part(name) + part(params[name] as string)
  return text
}

/** The two topics that invalidate a key: its question's and its read's. */
export function topicsOf(key: string): { readonly question: string; readonly read: string } {
  const question = key.slice(endOfPart(key))
  return { question, read: question.slice(0, endOfPart(question)) }
}

/** The read of a key, as passed to `cacheKey`. */
export function readOf(key: string): string {
  const { read } = topicsOf(key)
  return read.slice(read.indexOf(':') + 1)
}

function part(text: string): string {
  return `${text.length}:${text}`
}

function endOfPart(text: string): number {
  const colon = text.indexOf(':')
  return colon + 1 + Number(text.slice(0, colon))
}
