/**
 * What an answer is kept under (quorum.md#cache-keys): trust digest, read and params, each part led by its length. No
 * two different questions have the same key, whatever characters or lengths they are made of.
 */
export function cacheKey(
  trustDigest: string,
  read: string,
  params: Readonly<Record<string, string>>,
): string {
  return part(trustDigest) + topic(read, params)
}

/**
 * What can be raised (quorum.md#invalidation): one question under every trust digest or, without params, every question
 * of a read.
 */
export function topic(read: string, params: Readonly<Record<string, string>> = {}): string {
  const names = Object.keys(params)
  if (names.length > 1) names.sort()
  let text = part(read)
  for (const name of names) text += part(name) + part(params[name] as string)
  return text
}

/** The two topics that reach a key: its question's own and its read's. */
export function topicsOf(key: string): { readonly question: string; readonly read: string } {
  const question = key.slice(endOfPart(key))
  return { question, read: question.slice(0, endOfPart(question)) }
}

/** The read of a key, as it was given to `cacheKey`. */
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
