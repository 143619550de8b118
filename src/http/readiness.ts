export interface Readiness {
  /** Whether a roster is agreed, and the shutdown has not begun. */
  readonly ready: () => boolean
  /** Whether enough super validators for the thresholds are reachable (quorum.md#who-is-reachable). */
  readonly quorumReachable: () => boolean
}

/**
 * Returns the HTTP status of `/readyz`: 200 if the daemon is ready. With the query parameter `quorum`, a
 * quorum must be reachable too.
 */
export function readyStatus({ ready, quorumReachable }: Readiness, query: URLSearchParams): 200 | 503 {
  return ready() && (!query.has('quorum') || quorumReachable()) ? 200 : 503
}
