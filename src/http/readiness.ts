export interface Readiness {
  ready(): boolean
  /**
   * Whether the reachable super validators are enough to meet the thresholds
   * (quorum.md#who-is-reachable).
   */
  quorumReachable(): boolean
}

export function readyStatus(daemon: Readiness, query: URLSearchParams): 200 | 503 {
  return daemon.ready() && (!query.has('quorum') || daemon.quorumReachable()) ? 200 : 503
}
