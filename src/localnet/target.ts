/** A request target taken apart. Nothing is normalised: `/a/../b` has the three segments `a`, `..` and `b`. */
export interface Target {
  readonly segments: readonly string[]
  /** Of a repeated parameter the first one counts. */
  readonly query: ReadonlyMap<string, string>
}

const noQuery: ReadonlyMap<string, string> = new Map()

/** Undefined where an escape is malformed or is not UTF-8, or where the target is no path. */
export function parseTarget(raw: string): Target | undefined {
  if (!raw.startsWith('/')) return undefined
  const cut = raw.indexOf('?')
  const path = cut === -1 ? raw : raw.slice(0, cut)
  const segments = path.slice(1).split('/')
  try {
    return {
      segments: path.includes('%') ? segments.map(decodeURIComponent) : segments,
      query: cut === -1 ? noQuery : parseQuery(raw.slice(cut + 1)),
    }
  } catch {
    return undefined
  }
}

function parseQuery(raw: string): ReadonlyMap<string, string> {
  const query = new Map<string, string>()
  for (const pair of raw.split('&')) {
    if (pair === '') continue
    const cut = pair.indexOf('=')
    const name = decodeQueryPart(cut === -1 ? pair : pair.slice(0, cut))
    if (!query.has(name)) query.set(name, cut === -1 ? '' : decodeQueryPart(pair.slice(cut + 1)))
  }
  return query
}

function decodeQueryPart(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}
