import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import { gridAfter, gridAt, gridMs } from './snapshot-grid.ts'

/**
 * The way in which a drain, the reading of a whole snapshot, ended.
 * - `refused`: a quorum agreed on the snapshot, but the mirror cannot take it. The snapshot is not
 * read again.
 * - `again`: the drain is repeated after a pause.
 */
export type DrainEnd = 'taken' | 'refused' | 'again'

export interface DrainScheduleDeps {
  readonly clock: Clock
  readonly random: Random
  readonly settledAt: () => number | undefined
  readonly drain: (at: number, signal: AbortSignal) => Promise<DrainEnd>
  readonly retried?: (nextAt: number) => void
}

/** Scans get this long to make a snapshot, from its record time on. */
const snapshotMs = 120_000
const firstRetryMs = 15_000
const longestRetryMs = 600_000
/**
 * The schedule is checked at least this often. A change of the wall clock or of the super
 * validators may make a drain due earlier than planned.
 */
const longestWaitMs = 60_000

/**
 * Starts a drain, which reads a whole snapshot, for every snapshot that scans take. The first drain
 * begins at once, with the latest snapshot, unless the mirror already has that snapshot.
 */
export class DrainSchedule implements AsyncDisposable {
  readonly #deps: DrainScheduleDeps
  readonly #closing = new AbortController()
  #cancel: (() => void) | undefined
  #running:
    | { readonly at: number; readonly source: AbortController; readonly over: Promise<void> }
    | undefined
  #attempts = { at: Number.NaN, count: 0, nextNow: 0 }
  #refusedAt = Number.NEGATIVE_INFINITY
  #isFirst = true

  constructor(deps: DrainScheduleDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#tick()
  }

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
      // Two minutes after the time of the next snapshot, scans should have it. The drain of the
      // earlier snapshot is then aborted.
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
    const over = this.#run(at, source.signal).then((end) => {
      this.#running = undefined
      if (end === 'again' && !this.#closing.signal.aborted) this.#deps.retried?.(this.nextAt)
      this.#tick()
    })
    this.#running = { at, source, over }
  }

  async #run(at: number, signal: AbortSignal): Promise<DrainEnd> {
    const { clock, random } = this.#deps
    const count = this.#attempts.at === at ? this.#attempts.count + 1 : 1
    let end: DrainEnd = 'again'
    try {
      end = await this.#deps.drain(at, signal)
    } catch {
      // The drain has reported its failure itself.
    }
    if (end === 'refused') this.#refusedAt = at
    const waitMs = Math.min(longestRetryMs, firstRetryMs * 2 ** (count - 1)) * (0.75 + random() / 2)
    this.#attempts = { at, count, nextNow: clock.now() + waitMs }
    return end
  }
}
