const firstProbeMs = 1_000

/**
 * Returns the milliseconds that a scan must be idle before the next probe: `probeIntervalMs`, or less while
 * the scan is failing. While the scan is failing, the time is `firstProbeMs` after one fault, and doubles
 * with every further fault up to `probeIntervalMs`.
 * @param faults the number of faults since the scan last answered a read; 0 if it is not failing.
 */
export function probeBackoffMs(faults: number, probeIntervalMs: number): number {
  return faults === 0 ? probeIntervalMs : Math.min(probeIntervalMs, firstProbeMs * 2 ** (faults - 1))
}
