/**
 * Returns the cache key of a question (quorum.md#cache-keys). The key contains the trust digest, the read and
 * the params. Each part follows its length, so that two different questions never have the same key.
 */
export function cacheKey(
  trustDigest: string,
  read: string,
  params: Readonly<Record<string, string>>,
): string {
  return part(trustDigest) + topic(read, params)
}

/**
 * Returns the topic of a question, which is the unit of invalidation (quorum.md#invalidation). A topic with
 * params covers one question under every trust digest. A topic without params covers all questions of the
 * read.
 */
export function topic(read: string, params: Readonly<Record<string, string>> = {}): string {
  const names = Object.keys(params)
  if (names.length > 1) names.sort()
  let text = part(read)
  for (const name of names) text += part(name) + part(params[name] as string)
  return text
}

/**
 * Returns the two topics of a key: the topic of its question and the topic of its read. Besides them, only the topic
 * `everything` invalidates the key.
 */
export function topicsOf(key: string): { readonly question: string; readonly read: string } {
  const question = key.slice(endOfPart(key))
  return { question, read: question.slice(0, endOfPart(question)) }
}

/** Returns the id of the read in a key that `cacheKey` made. */
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
