import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import { gridAfter, gridAt, gridMs } from './grid.ts'

/** `refused`: the snapshot is agreed, and cannot be taken. `again`: it is worth another attempt. */
export type DrainEnd = 'taken' | 'refused' | 'again'

export interface DrainScheduleDeps {
  readonly clock: Clock
  readonly random: Random
  /** The grid instant of a set that needs no drain; undefined if there is none. */
  readonly settledAt: () => number | undefined
  /** Drains the snapshot of this grid instant. Rejects if the signal aborts, and counts as `again` if it throws. */
  readonly drain: (at: number, signal: AbortSignal) => Promise<DrainEnd>
}

/** Scans need some time after the instant to take their snapshot. */
const snapshotMs = 120_000
const firstRetryMs = 15_000
const longestRetryMs = 600_000
/** The wall clock may be set, and a roster may change, so that a drain becomes due earlier. */
const longestWaitMs = 60_000

/** Drains one snapshot for each grid instant, and the latest one at once at the start. */
export class DrainSchedule implements AsyncDisposable {
  readonly #deps: DrainScheduleDeps
  readonly #closing = new AbortController()
  #cancel: (() => void) | undefined
  #running:
    | { readonly at: number; readonly source: AbortController; readonly over: Promise<void> }
    | undefined
  /** The instant of the latest attempts, how many there were, and when the next one is due on `Clock.now()`. */
  #attempts = { at: Number.NaN, count: 0, nextNow: 0 }
  #refusedAt = Number.NEGATIVE_INFINITY
  #isFirst = true

  constructor(deps: DrainScheduleDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#tick()
  }

  /** When the next drain begins: milliseconds since 1970. */
  get nextAt(): number {
    const { clock } = this.#deps
    return clock.wall() + Math.max(0, this.#dueInMs())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancel?.()
    this.#closing.abort(new Error('the mirror is closing'))
    this.#running?.source.abort(this.#closing.signal.reason)
    await this.#running?.over
  }

  #tick(): void {
    if (this.#closing.signal.aborted) return
    this.#cancel?.()
    const { clock } = this.#deps
    const running = this.#running
    if (running !== undefined) {
      // A snapshot that is not drained when the next one is there is given up.
      if (clock.wall() >= running.at + gridMs + snapshotMs)
        running.source.abort(new Error('a later snapshot'))
    } else if (this.#dueInMs() <= 0) this.#begin(gridAt(clock.wall()))
    const waitMs = this.#running === undefined ? this.#dueInMs() : longestWaitMs
    this.#cancel = clock.after(Math.max(1, Math.min(waitMs, longestWaitMs)), () => this.#tick())
  }

  #dueInMs(): number {
    const { clock, settledAt } = this.#deps
    const wall = clock.wall()
    const target = gridAt(wall)
    const done = Math.max(settledAt() ?? Number.NEGATIVE_INFINITY, this.#refusedAt)
    if (done >= target) return gridAfter(wall) + snapshotMs - wall
    if (this.#attempts.at === target) return this.#attempts.nextNow - clock.now()
    return this.#isFirst ? 0 : target + snapshotMs - wall
  }

  #begin(at: number): void {
    this.#isFirst = false
    const source = new AbortController()
    const over = this.#run(at, source.signal).then(() => {
      this.#running = undefined
      this.#tick()
    })
    this.#running = { at, source, over }
  }

  async #run(at: number, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#deps
    const count = this.#attempts.at === at ? this.#attempts.count + 1 : 1
    let end: DrainEnd = 'again'
    try {
      end = await this.#deps.drain(at, signal)
    } catch {
      // A drain reports its own failures.
    }
    if (end === 'refused') this.#refusedAt = at
    const waitMs = Math.min(longestRetryMs, firstRetryMs * 2 ** (count - 1)) * (0.75 + random() / 2)
    this.#attempts = { at, count, nextNow: clock.now() + waitMs }
  }
}
