const leastSeconds = 20
const differentDelays = 71
const stepSeconds = 37

/**
 * Returns the delay from the time of a snapshot to the moment when the node has that snapshot:
 * 20,000 to 90,000 ms. Up to 71 nodes all have different delays.
 */
export function snapshotDelayMs(index: number): number {
  return (leastSeconds + ((index * stepSeconds) % differentDelays)) * 1_000
}
