/**
 * These bounds, in seconds, include all bounds of Splice's timers, so that Splice's latency metrics
 * can be computed from ours.
 */
export const networkBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5, 0.75, 1, 2.5, 5, 10, 15,
] as const

export const httpBuckets = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  15,
] as const
