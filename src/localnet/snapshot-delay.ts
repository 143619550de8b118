/**
 * The shortest delay between the time of a snapshot and the moment when a node has the snapshot, in seconds.
 */
const leastSeconds = 20
/** The number of different delays. The longest delay is `leastSeconds + differentDelays - 1` seconds. */
const differentDelays = 71
/** From each node to the next, the delay grows by this many seconds, modulo `differentDelays`. */
const stepSeconds = 37

/**
 * Returns how many milliseconds after the time of a snapshot the node with this index has the snapshot:
 * 20,000 to 90,000. Up to 71 nodes all have different delays.
 */
export function snapshotDelayMs(index: number): number {
  return (leastSeconds + ((index * stepSeconds) % differentDelays)) * 1_000
}
