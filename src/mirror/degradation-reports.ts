import type { Degradation } from './degradation.ts'
import type { MirrorEvents } from './mirror-deps.ts'

/** Reports each change between serving and not serving, and each change of the reason, once. */
export class DegradationReports {
  readonly #events: Pick<MirrorEvents, 'degraded' | 'restored'>
  #last: Degradation['kind'] | undefined = 'no-set'

  constructor(events: Pick<MirrorEvents, 'degraded' | 'restored'>) {
    this.#events = events
  }

  /** @param why undefined while the mirror serves. */
  tell(why: Degradation | undefined): void {
    if (why?.kind === this.#last) return
    this.#last = why?.kind
    if (why === undefined) this.#events.restored()
    else this.#events.degraded(why)
  }
}
