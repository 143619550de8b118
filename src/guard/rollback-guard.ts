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
 * Makes sure that no answer is older than an answer that was served to the same question before, even after a restart
 * (quorum.md#never-back). Only an answer that is about to be served raises a floor, so fewer super validators than the
 * threshold cannot raise one.
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
   * Checks an agreed answer that is about to be served. If it is newer than the floor, raises the floor.
   * @returns false if the answer is below the floor, so that it must not be served.
   */
  admit(id: FloorId, sighting: Sighting): MaybePromise<boolean> {
    const floor = floorOf(sighting)
    const inForce = floor === undefined ? this.#floors.find(id) : this.#floors.raise(id, floor)
    return whenKnown(inForce, (found) => {
      const isAdmitted = !isBelow(sighting, found, this.#clock.wall())
      // An answer that reaches the floor cancels a pending withdrawal of the floor (`Withdrawals`). The
      // exception is a value without a version, because it may be an old one.
      if (isAdmitted && (floor !== undefined || sighting.kind === 'absence'))
        this.#withdrawals.contradicted(id.text)
      return isAdmitted
    })
  }

  /**
   * Records that at least n - f super validators gave this answer, which is below the floor. The floor ends
   * when this method has recorded such an answer a second time, at least ten seconds after the first time.
   * @returns true if the floor has ended and the answer may be served.
   */
  withdraw(id: FloorId, sighting: Sighting): MaybePromise<boolean> {
    if (!this.#withdrawals.stated(id.text, sighting, this.#clock.now())) return false
    return whenKnown(this.#floors.end(id), () => this.admit(id, sighting))
  }

  /** Removes the floor of a question. */
  reset(id: FloorId): MaybePromise<void> {
    return this.#floors.end(id)
  }

  /**
   * Removes the floor with this key, which an operator of the daemon has found in the log. Returns false if
   * there was no such floor.
   */
  resetKey(key: string): MaybePromise<boolean> {
    return isFloorKey(key) && this.#floors.endKey(key)
  }

  /** Returns the keys of the question's floor, as they appear in the log. */
  keysOf(id: FloorId): readonly string[] {
    return this.#floors.keysOf(id)
  }
}
