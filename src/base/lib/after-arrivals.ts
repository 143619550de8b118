/**
 * Calls `run` after Node has read the data that waits at sockets. In a busy process, Node runs a
 * due timer first, so a timer alone does not show that no data came.
 */
export function afterArrivals(run: () => void): void {
  setImmediate(run)
}
