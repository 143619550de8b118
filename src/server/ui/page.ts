import { type Clock, milliseconds } from '../../base/lib/clock.ts'
import type { Question } from '../../core/reads/read.ts'
import { agreedValue } from '../../core/scan/reader.ts'
import type { PlainRoute, RouteContext } from '../http/routes/route.ts'
import { wantsPage } from '../http/send-answer.ts'
import { collectModel } from './collect-model.ts'
import { DoctorOnDemand } from './doctor-on-demand.ts'
import { Live } from './live.ts'
import { pageResponse } from './responses.ts'
import { type OperatorDeps, type PageDeps, pageRoutes, type RoutesDeps, type Spend } from './routes.ts'
import { liveParts, unknownView } from './views/page.ts'

const sampleMs = milliseconds('5s')
const apiPath = /^\/(?:\.well-known|admin|api|registry|v\d+)(?:\/|$)/

/**
 * The web page has two versions: one for everybody, and one for the people who run the daemon.
 * Disposing the page ends its live streams and examinations.
 */
export class Page implements Disposable {
  readonly unknown = unknownPage
  readonly #deps: PageDeps
  readonly #open = new DisposableStack()
  #cancelSample: (() => void) | undefined

  constructor(deps: PageDeps) {
    this.#deps = deps
    this.#sampleLater()
  }

  /**
   * On this version, a look-up takes one cache miss from the visitor's budget, and asks only as
   * many super validators as any read does.
   */
  forAnyone(spend: Spend): readonly PlainRoute[] {
    return this.#routes({ spend, paced: (make) => onceASecond(this.#deps.clock, make) })
  }

  /**
   * On this version, visitors can also ask every super validator, examine the network, and change a
   * localnet.
   * @param publicPort the port of the public address, on which the API reference is.
   */
  forOperators(spend: Spend, publicPort: number): readonly PlainRoute[] {
    const { localnetControls, clock, examineNetwork: examine } = this.#deps
    const doctor = this.#open.use(new DoctorOnDemand({ examine, clock }))
    return this.#routes({ spend, paced: (make) => make, localnetControls, doctor, publicPort })
  }

  [Symbol.dispose](): void {
    this.#cancelSample?.()
    this.#open.dispose()
  }

  #sampleLater(): void {
    const { clock, sources } = this.#deps
    this.#cancelSample = clock.after(sampleMs, () => {
      sources.traffic.sample()
      this.#sampleLater()
    })
  }

  #routes(shown: Pick<RoutesDeps, 'spend' | 'paced'> & Partial<OperatorDeps>): readonly PlainRoute[] {
    const { localnetControls: _, ...deps } = this.#deps
    const { networkMs } = deps.sources
    const now = () =>
      collectModel(deps.sources, {
        nodes: shown.localnetControls?.nodes(),
        doctor: shown.doctor?.shown,
      })
    const parts = shown.paced(() => liveParts(now()))
    const live = this.#open.use(new Live({ clock: deps.clock, networkMs, parts }))
    const agreed = (question: Question) => agreedValue(deps.reader, question)
    return pageRoutes({ ...deps, ...shown, history: { agreed, past: deps.past, networkMs }, live, now })
  }
}

/**
 * Building the HTML costs more than a hundred cache hits, so its result is reused for one second.
 */
function onceASecond<T>(clock: Clock, make: () => T): () => T {
  let kept: { readonly made: T; readonly at: number } | undefined
  return () => {
    const at = clock.now()
    if (kept === undefined || at - kept.at >= 1_000) kept = { made: make(), at }
    return kept.made
  }
}

/**
 * Answers a browser that opens a path without a page. Returns undefined for programs, and for paths
 * of the API.
 */
function unknownPage(c: RouteContext): Response | undefined {
  const { method, path } = c.req
  if (!['GET', 'HEAD'].includes(method) || !wantsPage(c) || apiPath.test(path)) return undefined
  return pageResponse(c, unknownView('../'.repeat(path.split('/').length - 2)).toString(), { status: 404 })
}
