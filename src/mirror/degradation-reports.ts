import type { Degradation } from './degradation.ts'
import type { MirrorEvents } from './mirror-deps.ts'

/**
 * True for `no-set`, `no-roster` and `no-head`, which are normal while the daemon starts. A change
 * from one of these reasons to another is not reported.
 */
function isStarting(kind: Degradation['kind'] | undefined): boolean {
  return kind === 'no-set' || kind === 'no-roster' || kind === 'no-head'
}

export class DegradationReports {
  readonly #events: Pick<MirrorEvents, 'degraded' | 'restored'>
  #last: Degradation['kind'] | undefined = 'no-set'

  constructor(events: Pick<MirrorEvents, 'degraded' | 'restored'>) {
    this.#events = events
  }

  tell(why: Degradation | undefined): void {
    if (why?.kind === this.#last || (isStarting(why?.kind) && isStarting(this.#last))) return
    this.#last = why?.kind
    if (why === undefined) this.#events.restored()
    else this.#events.degraded(why)
  }
}
