/**
 * Returns the cache key of a question (quorum.md#cache-keys). It consists of trust digest, read and params,
 * each after its length. Because of the lengths, two different questions never have the same key.
 */
export function cacheKey(
  trustDigest: string,
  read: string,
  params: Readonly<Record<string, string>>,
): string {
  return part(trustDigest) + topic(read, params)
}

/**
 * Returns the topic of a question, which is the unit of invalidation (quorum.md#invalidation). It stands for
 * the question under every trust digest; without params, for all questions of the read.
 */
export function topic(read: string, params: Readonly<Record<string, string>> = {}): string {
  const names = Object.keys(params)
  if (names.length > 1) names.sort()
  let text = part(read)
  for (const name of names) text += part(name) + part(params[name] as string)
  return text
}

/** Returns the two topics whose invalidation concerns a key: that of its question and that of its read. */
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
