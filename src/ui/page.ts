import type { PlainRoute } from '../http/routes/route.ts'
import type { Clock } from '../lib/clock.ts'
import type { Examiner } from '../scan/examiner.ts'
import { Live } from './live.ts'
import { observed, type Sources } from './observed.ts'
import { pageRoutes, type Spend, type Trials } from './routes.ts'
import { liveParts } from './views/page.ts'

export interface PageOptions {
  readonly version: string
}

export interface PageDeps {
  readonly sources: Sources
  readonly examiner: Pick<Examiner, 'examine'>
  /** Set on a localnet. */
  readonly trials: Trials | undefined
  readonly clock: Clock
}

/** The web page, in a version for everybody and a version for operators. Disposing it ends the live streams. */
export class Page implements Disposable {
  readonly #options: PageOptions
  readonly #deps: PageDeps
  readonly #open: Live[] = []

  constructor(options: PageOptions, deps: PageDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** Serves the page and look-ups to everybody. A look-up costs a miss and asks as many super validators as a read. */
  forAnyone(spend: Spend): readonly PlainRoute[] {
    const { clock } = this.#deps
    return this.#routes({ spend, mayAskAll: false, trials: undefined }, (make) => onceASecond(clock, make))
  }

  /** Serves the page and look-ups to operators, who may also ask every super validator and change a localnet. */
  forOperators(spend: Spend): readonly PlainRoute[] {
    return this.#routes({ spend, mayAskAll: true, trials: this.#deps.trials }, (make) => make)
  }

  [Symbol.dispose](): void {
    for (const live of this.#open) live[Symbol.dispose]()
  }

  /**
   * Builds the routes of one version of the page.
   * @param paced limits how often a view is rebuilt if it costs the visitor no cache miss.
   */
  #routes(
    shown: { spend: Spend; mayAskAll: boolean; trials: Trials | undefined },
    paced: <T>(make: () => T) => () => T,
  ): readonly PlainRoute[] {
    const { sources, examiner, clock } = this.#deps
    const now = () => observed(sources, shown.trials?.nodes())
    const live = new Live({ clock, parts: paced(() => liveParts(now())) })
    this.#open.push(live)
    return pageRoutes({ ...this.#options, ...shown, examiner, live, now, paced })
  }
}

/** Reuses a view for one second, because building it costs more than a hundred cache hits. */
function onceASecond<T>(clock: Clock, make: () => T): () => T {
  let kept: { readonly made: T; readonly at: number } | undefined
  return () => {
    const at = clock.now()
    if (kept === undefined || at - kept.at >= 1_000) kept = { made: make(), at }
    return kept.made
  }
}
