import { type Clock, milliseconds } from '../../base/lib/clock.ts'
import type { DoctorReport } from '../../doctor/report.ts'
import type { PlainRoute } from '../http/routes/route.ts'
import type { ShownDoctor } from './model.ts'
import { formRoutes } from './responses.ts'

export interface DoctorOnDemandDeps {
  readonly examine: (
    progress: (done: number, of: number) => void,
    signal: AbortSignal,
  ) => Promise<DoctorReport>
  readonly clock: Pick<Clock, 'now' | 'wall'>
}

const pauseMs = milliseconds('30s')

/**
 * Only one examination of the network runs at a time, and at most one begins in 30 s. Disposing the
 * object ends a running examination.
 */
export class DoctorOnDemand implements Disposable {
  readonly #deps: DoctorOnDemandDeps
  readonly #stopped = new AbortController()
  #beganAt: number | undefined
  #shown: ShownDoctor = { running: undefined, report: undefined, failure: undefined }

  constructor(deps: DoctorOnDemandDeps) {
    this.#deps = deps
  }

  get shown(): ShownDoctor {
    return this.#shown
  }

  begin(): void {
    const now = this.#deps.clock.now()
    const isTooSoon = this.#beganAt !== undefined && now - this.#beganAt < pauseMs
    if (this.#shown.running !== undefined || isTooSoon) return
    this.#beganAt = now
    this.#tell(0, 0)
    void this.#examine()
  }

  [Symbol.dispose](): void {
    this.#stopped.abort()
  }

  async #examine(): Promise<void> {
    const at = new Date(this.#deps.clock.wall()).toISOString()
    try {
      const report = await this.#deps.examine((done, of) => this.#tell(done, of), this.#stopped.signal)
      // The page computes the report's age by the machine's clock. The report itself has the
      // network's time, which can be ahead of that clock.
      this.#shown = { running: undefined, report: { ...report, at }, failure: undefined }
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error)
      this.#shown = { ...this.#shown, running: undefined, failure }
    }
  }

  #tell(done: number, total: number): void {
    this.#shown = { ...this.#shown, running: { done, total } }
  }
}

const section = 'network#doctor'

/** The POST is answered before the examination ends. The page shows the report when it is ready. */
export function doctorRoutes(doctor: DoctorOnDemand): readonly PlainRoute[] {
  return formRoutes('/ui/doctor', section, async () => {
    doctor.begin()
    return section
  })
}
