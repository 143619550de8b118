/**
 * The path and query of a request, decoded. The path is not normalised: `/a/../b` has the three
 * segments `a`, `..` and `b`.
 */
export interface Target {
  readonly segments: readonly string[]
  readonly query: URLSearchParams
}

/**
 * Returns undefined if an escape in the path is malformed or not UTF-8, or if the target does not
 * begin with a slash.
 */
export function parseTarget(raw: string): Target | undefined {
  const [path = '', query] = raw.split(/\?(.*)/s, 2)
  if (!path.startsWith('/')) return undefined
  try {
    return { segments: path.slice(1).split('/').map(decodeURIComponent), query: new URLSearchParams(query) }
  } catch {
    return undefined
  }
}
