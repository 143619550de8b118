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
  /** On a localnet. */
  readonly trials: Trials | undefined
  readonly clock: Clock
}

/** The page for people, once for everybody and once for operators. Disposing it ends what is live. */
export class Page implements Disposable {
  readonly #options: PageOptions
  readonly #deps: PageDeps
  readonly #open: Live[] = []

  constructor(options: PageOptions, deps: PageDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** To look at, and to look names up for the price of a miss, asking as many as any read asks. */
  forAnyone(spend: Spend): readonly PlainRoute[] {
    const { clock } = this.#deps
    return this.#routes({ spend, mayAskAll: false, trials: undefined }, (make) => onceASecond(clock, make))
  }

  /** Where every super validator may be asked, and a localnet be tried out. */
  forOperators(spend: Spend): readonly PlainRoute[] {
    return this.#routes({ spend, mayAskAll: true, trials: this.#deps.trials }, (make) => make)
  }

  [Symbol.dispose](): void {
    for (const live of this.#open) live[Symbol.dispose]()
  }

  /** @param paced how often what costs the asker nothing is made anew. */
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

/** What was made within the last second is not made again: it takes more than a hundred hits. */
function onceASecond<T>(clock: Clock, make: () => T): () => T {
  let kept: { readonly made: T; readonly at: number } | undefined
  return () => {
    const at = clock.now()
    if (kept === undefined || at - kept.at >= 1_000) kept = { made: make(), at }
    return kept.made
  }
}
