/**
 * Calls `run` after Node has read the data that is already waiting at sockets. In a busy process, Node runs a
 * due timer before it reads that data. The timer alone therefore does not show that no data came.
 */
export function afterArrivals(run: () => void): void {
  setImmediate(run)
}
