import { version, versionTime } from '../../base/lib/version.ts'
import type { Base } from '../../base/telemetry/open.ts'
import type { ReadPath } from '../../core/scan/open.ts'

export interface DaemonStateDeps extends Pick<Base, 'realClock' | 'startedAt'> {
  readonly scan: Pick<ReadPath, 'discovery'>
}

export type About = Omit<DaemonState, 'stopping'>

export function readyStatus(
  daemon: Pick<About, 'ready' | 'quorumReachable'>,
  query: URLSearchParams,
): 200 | 503 {
  return daemon.ready() && (!query.has('quorum') || daemon.quorumReachable()) ? 200 : 503
}

/** What the daemon says of itself. */
export class DaemonState {
  readonly version = version
  readonly versionTime = versionTime
  readonly #deps: DaemonStateDeps
  #isStopping = false

  constructor(deps: DaemonStateDeps) {
    this.#deps = deps
  }

  ready(): boolean {
    return !this.#isStopping && this.#deps.scan.discovery.roster !== undefined
  }

  /**
   * Whether the reachable super validators are enough to meet the thresholds
   * (quorum.md#who-is-reachable).
   */
  quorumReachable(): boolean {
    return this.#deps.scan.discovery.isQuorumReachable()
  }

  uptimeMs(): number {
    return this.#deps.realClock.now() - this.#deps.startedAt
  }

  stopping(): void {
    this.#isStopping = true
  }
}
