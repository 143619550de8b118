/**
 * Makes the cache key of a question (quorum.md#cache-keys). Each part follows its length, so that
 * two different questions never share a key.
 */
export function cacheKey(
  trustDigest: string,
  read: string,
  params: Readonly<Record<string, string>>,
): string {
  return part(trustDigest) + topic(read, params)
}

/**
 * Makes a topic, the unit of invalidation (quorum.md#invalidation). A topic with params is one
 * question, whatever voters and threshold are configured. A topic without params is all questions
 * of a read.
 */
export function topic(read: string, params: Readonly<Record<string, string>> = {}): string {
  const names = Object.keys(params)
  if (names.length > 1) names.sort()
  let text = part(read)
  for (const name of names) text += part(name) + part(params[name] as string)
  return text
}

export function topicsOf(key: string): { readonly question: string; readonly read: string } {
  const question = key.slice(endOfPart(key))
  return { question, read: question.slice(0, endOfPart(question)) }
}

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
