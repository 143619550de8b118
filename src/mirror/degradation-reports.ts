import type { Degradation } from './degradation.ts'
import type { MirrorEvents } from './mirror-deps.ts'

/**
 * Whether this reason is normal while the daemon starts. A change from one such reason to another is not
 * reported.
 */
function isStarting(kind: Degradation['kind'] | undefined): boolean {
  return kind === 'no-set' || kind === 'no-roster'
}

/** Reports when the mirror begins or ceases to answer, and when the reason for not answering changes. */
export class DegradationReports {
  readonly #events: Pick<MirrorEvents, 'degraded' | 'restored'>
  #last: Degradation['kind'] | undefined = 'no-set'

  constructor(events: Pick<MirrorEvents, 'degraded' | 'restored'>) {
    this.#events = events
  }

  /** @param why the present reason for not answering; undefined while the mirror answers. */
  tell(why: Degradation | undefined): void {
    if (why?.kind === this.#last || (isStarting(why?.kind) && isStarting(this.#last))) return
    this.#last = why?.kind
    if (why === undefined) this.#events.restored()
    else this.#events.degraded(why)
  }
}
