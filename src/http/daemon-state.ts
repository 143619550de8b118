import { version, versionTime } from '../lib/version.ts'
import type { ReadPath } from '../scan/open.ts'
import type { Base } from '../telemetry/open.ts'
import type { About } from './routes/about.ts'

export interface DaemonStateDeps extends Pick<Base, 'realClock' | 'startedAt'> {
  readonly scan: Pick<ReadPath, 'discovery' | 'reachability'>
}

/** What the daemon says of itself. */
export class DaemonState implements About {
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

  quorumReachable(): boolean {
    return this.#deps.scan.reachability.quorumReachable()
  }

  uptimeMs(): number {
    return this.#deps.realClock.now() - this.#deps.startedAt
  }

  stopping(): void {
    this.#isStopping = true
  }
}
