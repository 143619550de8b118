/**
 * Calls `run` after the data that has arrived at sockets until now is read. A timer of a busy process runs before such
 * data is read, so it must not yet conclude that nothing came.
 */
export function afterArrivals(run: () => void): void {
  setImmediate(run)
}
