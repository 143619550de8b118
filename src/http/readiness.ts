export interface Readiness {
  readonly ready: () => boolean
  /**
   * Whether the reachable super validators are enough to meet the thresholds
   * (quorum.md#who-is-reachable).
   */
  readonly quorumReachable: () => boolean
}

export function readyStatus({ ready, quorumReachable }: Readiness, query: URLSearchParams): 200 | 503 {
  return ready() && (!query.has('quorum') || quorumReachable()) ? 200 : 503
}
