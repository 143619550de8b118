import type { Connection } from './connections.ts'

type MaybeConnection = Connection | undefined

/** How much each voter is to be preferred, by index; 0 for one that cannot be asked. */
export function weightsOf(connections: readonly MaybeConnection[]): readonly number[] {
  const latencies = ascending(connections, (connection) => connection.health.latencyMs)
  const usualMs = latencies[latencies.length >> 1] ?? 0
  return connections.map((connection) => connection?.health.weight(usualMs) ?? 0)
}

/**
 * As long as the slowest of those asked first may take, and no longer than the slowest of all but f: so that faulty
 * ones cannot teach the others' callers to be patient with them.
 */
export function hedgeOf(
  connections: readonly MaybeConnection[],
  first: readonly number[],
  f: number,
): number {
  let slowest = 0
  for (const voter of first) slowest = Math.max(slowest, connections[voter]?.health.overdueMs ?? 0)
  const all = ascending(connections, (connection) => connection.health.overdueMs)
  return Math.min(slowest, all[Math.max(0, all.length - 1 - f)] ?? 0)
}

/** What is known of those that can be asked, in ascending order. */
function ascending(
  connections: readonly MaybeConnection[],
  numberOf: (connection: Connection) => number | undefined,
): readonly number[] {
  const sorted: number[] = []
  for (const connection of connections) {
    const number = connection === undefined ? undefined : numberOf(connection)
    if (number !== undefined) insert(sorted, number)
  }
  return sorted
}

/** A roster is too small for anything cleverer to be faster. */
function insert(sorted: number[], number: number): void {
  let at = sorted.length
  for (; at > 0 && (sorted[at - 1] as number) > number; at--) sorted[at] = sorted[at - 1] as number
  sorted[at] = number
}
