import type { Clock } from '../base/lib/clock.ts'
import type { Random } from '../base/lib/random.ts'
import { gridAfter, gridAt } from './snapshot-grid.ts'
import type { UpkeepTask } from './upkeep.ts'

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
export const snapshotMs = 120_000
const firstRetryMs = 15_000
const longestRetryMs = 600_000
/**
 * The schedule is checked at least this often. A change of the wall clock or of the super
 * validators may make a drain due earlier than planned.
 */
const longestWaitMs = 60_000

/**
 * A task that drains, which is to read a whole snapshot, every snapshot that scans take. The first
 * drain begins at once, with the latest snapshot, unless the mirror already has that snapshot.
 */
export class DrainSchedule implements UpkeepTask {
  readonly #deps: DrainScheduleDeps
  #attempts = { at: Number.NaN, count: 0, nextNow: 0 }
  #refusedAt = Number.NEGATIVE_INFINITY
  #isFirst = true

  constructor(deps: DrainScheduleDeps) {
    this.#deps = deps
  }

  get nextAt(): number {
    return this.#deps.clock.wall() + Math.max(0, this.#dueInMs())
  }

  waitMs(): number {
    return Math.max(1, Math.min(this.#dueInMs(), longestWaitMs))
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#dueInMs() > 0) return
    this.#isFirst = false
    const { clock, retried } = this.#deps
    const end = await this.#drain(gridAt(clock.wall()), signal)
    if (end === 'again' && !signal.aborted) retried?.(this.nextAt)
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

  async #drain(at: number, signal: AbortSignal): Promise<DrainEnd> {
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
