export type Graph = ReadonlyMap<string, readonly string[]>

/**
 * Returns cycles of a graph. Each is a list of names that ends with its first name. Of cycles that overlap, at least
 * one is returned.
 */
export function cycles(graph: Graph): readonly (readonly string[])[] {
  const found: string[][] = []
  const done = new Set<string>()
  const walk = (name: string, way: readonly string[]): void => {
    const at = way.indexOf(name)
    if (at >= 0) {
      found.push([...way.slice(at), name])
      return
    }
    if (done.has(name)) return
    for (const next of graph.get(name) ?? []) walk(next, [...way, name])
    done.add(name)
  }
  for (const name of graph.keys()) walk(name, [])
  return found
}

export function reached(graph: Graph, names: Iterable<string>): ReadonlySet<string> {
  const seen = new Set<string>()
  const waiting = [...names]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    waiting.push(...(graph.get(name) ?? []))
  }
  return seen
}
