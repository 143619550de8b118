/**
 * Upper bounds for the durations of requests to scans, and of reads, in seconds. They include all upper
 * bounds of Splice's timers, so that the daemon can compute Splice's latency metrics from its own metrics.
 */
export const networkBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5, 0.75, 1, 2.5, 5, 10, 15,
] as const

/**
 * Upper bounds for the durations of callers' requests, in seconds. The lowest bounds are meant for answers
 * from memory, the highest for reads that last until their deadline.
 */
export const httpBuckets = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  15,
] as const

/** The upper bounds of the buckets of Splice's timers, in seconds. */
export const spliceTimerBuckets = [
  0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5, 0.75, 1, 2.5, 5, 10,
] as const
