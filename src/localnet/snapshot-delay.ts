/** The shortest time from the instant of a snapshot until a node has it, in seconds. */
const leastSeconds = 20
/** The number of different delays. The longest is `leastSeconds + differentDelays - 1` seconds. */
const differentDelays = 71
/** The difference between the delays of one node and the next, in seconds and modulo `differentDelays`. */
const stepSeconds = 37

/**
 * Returns the milliseconds from the instant of a snapshot until the node with this index has it: 20 to 90 seconds,
 * different for each node.
 */
export function snapshotDelayMs(index: number): number {
  return (leastSeconds + ((index * stepSeconds) % differentDelays)) * 1_000
}
