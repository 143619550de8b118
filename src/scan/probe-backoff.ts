const firstProbeMs = 1_000

/**
 * Returns the milliseconds that a scan must be idle before the next probe. For a scan that is not failing,
 * that is `probeIntervalMs`. After one fault it is `firstProbeMs`. Every further fault doubles it, up to
 * `probeIntervalMs`.
 * @param faults the number of faults since the scan last answered a read; 0 if it is not failing.
 */
export function probeBackoffMs(faults: number, probeIntervalMs: number): number {
  return faults === 0 ? probeIntervalMs : Math.min(probeIntervalMs, firstProbeMs * 2 ** (faults - 1))
}
