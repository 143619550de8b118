import type { Clock } from '../base/lib/clock.ts'

export interface UpkeepTask {
  readonly run: (signal: AbortSignal) => Promise<unknown>
  /** The wait before each run, from the end of the one before. */
  readonly waitMs: () => number
}

/** Repeats a task of the mirror. A failed run is ignored, because the next one repairs it. */
export class Upkeep implements AsyncDisposable {
  readonly #task: UpkeepTask
  readonly #clock: Pick<Clock, 'after'>
  readonly #closing = new AbortController()
  #cancel: (() => void) | undefined
  #running: Promise<void> | undefined

  constructor(task: UpkeepTask, clock: Pick<Clock, 'after'>) {
    this.#task = task
    this.#clock = clock
  }

  start(waitMs = this.#task.waitMs()): void {
    const { signal } = this.#closing
    if (signal.aborted) return
    this.#cancel = this.#clock.after(waitMs, () => {
      this.#running = this.#task.run(signal).then(nothing, nothing)
      void this.#running.then(() => this.start())
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('the mirror is closing'))
    this.#cancel?.()
    await this.#running
  }
}

const nothing = () => {}
