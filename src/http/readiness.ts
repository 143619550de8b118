export interface Readiness {
  readonly ready: () => boolean
  /**
   * Whether enough super validators for the thresholds are reachable (quorum.md#who-is-reachable).
   */
  readonly quorumReachable: () => boolean
}

export function readyStatus({ ready, quorumReachable }: Readiness, query: URLSearchParams): 200 | 503 {
  return ready() && (!query.has('quorum') || quorumReachable()) ? 200 : 503
}
