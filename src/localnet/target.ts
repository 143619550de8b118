/**
 * The path and query of a request, decoded. The path is not normalised: `/a/../b` has the three
 * segments `a`, `..` and `b`.
 */
export interface Target {
  readonly segments: readonly string[]
  readonly query: ReadonlyMap<string, string>
  all(name: string): readonly string[]
}

const noQuery: ReadonlyMap<string, string> = new Map()

/**
 * Returns undefined if an escape is malformed or not UTF-8, or if the target does not begin with a
 * slash.
 */
export function parseTarget(raw: string): Target | undefined {
  if (!raw.startsWith('/')) return undefined
  const cut = raw.indexOf('?')
  const path = cut === -1 ? raw : raw.slice(0, cut)
  const segments = path.slice(1).split('/')
  try {
    return {
      segments: path.includes('%') ? segments.map(decodeURIComponent) : segments,
      query: cut === -1 ? noQuery : parseQuery(raw.slice(cut + 1)),
      all: (name) =>
        cut === -1
          ? []
          : pairsIn(raw.slice(cut + 1)).flatMap(([key, value]) => (key === name ? [value] : [])),
    }
  } catch {
    return undefined
  }
}

function parseQuery(raw: string): ReadonlyMap<string, string> {
  const query = new Map<string, string>()
  for (const [name, value] of pairsIn(raw)) if (!query.has(name)) query.set(name, value)
  return query
}

function pairsIn(raw: string): readonly (readonly [name: string, value: string])[] {
  return raw
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const cut = pair.indexOf('=')
      const name = decodeQueryPart(cut === -1 ? pair : pair.slice(0, cut))
      return [name, cut === -1 ? '' : decodeQueryPart(pair.slice(cut + 1))]
    })
}

function decodeQueryPart(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}
