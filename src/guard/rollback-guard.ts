import type { Clock } from '../lib/clock.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { floorOf, isBelow, type Sighting } from './floor.ts'
import { isFloorKey } from './floor-table.ts'
import type { FloorId, Floors } from './floors.ts'
import { Withdrawals } from './withdrawals.ts'

export interface RollbackGuardOptions {
  /** The network whose answers set the floors. */
  readonly network: string
}

export interface RollbackGuardDeps {
  readonly floors: Floors
  readonly clock: Pick<Clock, 'now' | 'wall'>
}

/**
 * Makes sure that no answer is older than one that was served before, across restarts (quorum.md#never-back). Only an
 * answer that is about to be served raises a floor: super validators that are fewer than the threshold therefore
 * cannot raise one.
 */
export class RollbackGuard implements AsyncDisposable {
  readonly network: string
  readonly #floors: Floors
  readonly #clock: Pick<Clock, 'now' | 'wall'>
  readonly #withdrawals = new Withdrawals()

  constructor({ network }: RollbackGuardOptions, { floors, clock }: RollbackGuardDeps) {
    this.network = network
    this.#floors = floors
    this.#clock = clock
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#floors[Symbol.asyncDispose]()
  }

  /**
   * Takes an agreed answer that is about to be served, and raises the floor to it.
   * @returns false if the answer is below the floor, so that it must not be served.
   */
  admit(id: FloorId, sighting: Sighting): MaybePromise<boolean> {
    const floor = floorOf(sighting)
    const inForce = floor === undefined ? this.#floors.find(id) : this.#floors.raise(id, floor)
    return whenKnown(inForce, (found) => {
      const isAdmitted = !isBelow(sighting, found, this.#clock.wall())
      // A value without a version does not show how old it is, so it does not contradict older answers.
      if (isAdmitted && (floor !== undefined || sighting.kind === 'absence'))
        this.#withdrawals.contradicted(id.text)
      return isAdmitted
    })
  }

  /**
   * Records that all super validators but f gave this answer, which is below the floor. A second such answer, at
   * least ten seconds after the first, ends the floor.
   * @returns whether the floor has ended, so that the answer may be served.
   */
  withdraw(id: FloorId, sighting: Sighting): MaybePromise<boolean> {
    if (!this.#withdrawals.stated(id.text, sighting, this.#clock.now())) return false
    return whenKnown(this.#floors.end(id), () => this.admit(id, sighting))
  }

  /** Removes the floor of a question. */
  reset(id: FloorId): MaybePromise<void> {
    return this.#floors.end(id)
  }

  /** Removes the floor with this key, which an operator takes from the log. Returns whether there was one. */
  resetKey(key: string): MaybePromise<boolean> {
    return isFloorKey(key) && this.#floors.endKey(key)
  }

  /** The keys of the question's floor, as the log shows them. */
  keysOf(id: FloorId): readonly string[] {
    return this.#floors.keysOf(id)
  }
}
