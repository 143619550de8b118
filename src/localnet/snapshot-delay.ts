const leastSeconds = 20
const differentDelays = 71
const stepSeconds = 37

/**
 * Returns how many milliseconds after the time of a snapshot a node has it: 20,000 to 90,000. Up to
 * 71 nodes all have different delays.
 */
export function snapshotDelayMs(index: number): number {
  return (leastSeconds + ((index * stepSeconds) % differentDelays)) * 1_000
}
