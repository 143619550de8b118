const firstProbeMs = 1_000

/**
 * Returns the milliseconds that a scan must be idle before the next probe. A failing scan is probed
 * sooner: after a second at first, and then less often with each fault.
 */
export function probeBackoffMs(faults: number, probeIntervalMs: number): number {
  return faults === 0 ? probeIntervalMs : Math.min(probeIntervalMs, firstProbeMs * 2 ** (faults - 1))
}
