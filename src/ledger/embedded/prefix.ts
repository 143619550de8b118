/**
 * The first text after all texts with this prefix, by code point, which is the order of SQLite's BINARY collation in
 * UTF-8. Undefined where every text after the prefix has it.
 */
export function afterPrefix(prefix: string): string | undefined {
  const points = [...prefix]
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const next = nextPoint(last.codePointAt(0) as number)
    if (next !== undefined) return points.join('') + String.fromCodePoint(next)
  }
  return undefined
}

function nextPoint(point: number): number | undefined {
  if (point === 0x10ffff) return undefined
  return point === 0xd7ff ? 0xe000 : point + 1
}
