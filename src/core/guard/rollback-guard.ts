import { LRUCache } from 'lru-cache'
import type { Clock } from '../../base/lib/clock.ts'
import { type MaybePromise, whenKnown } from '../../base/lib/maybe-promise.ts'
import { type FloorId, type Floors, floorOf, isBelow, isFloorKey, type Sighting } from './floors.ts'

export interface RollbackGuardOptions {
  readonly network: string
}

export interface RollbackGuardDeps {
  readonly floors: Floors
  readonly clock: Pick<Clock, 'now' | 'wall'>
}

/**
 * Refuses answers that are older than an answer which was served to the same question before, even
 * after a restart (quorum.md#never-back). A floor is the version of that earlier answer.
 * Only an answer that is about to be served raises a floor, so fewer super validators than the
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
   * If an agreed answer that is about to be served is newer than the floor, raises the floor.
   * @returns false if the answer is older than the floor, so that it must not be served.
   */
  admit(id: FloorId, sighting: Sighting): MaybePromise<boolean> {
    return whenKnown(this.raise(id, sighting), (isAdmitted) => {
      // An answer that reaches the floor cancels the floor's pending withdrawal. A value without a
      // version does not, because that value may be old.
      if (isAdmitted && (floorOf(sighting) !== undefined || sighting.kind === 'absence'))
        this.#withdrawals.forgetReport(id.text)
      return isAdmitted
    })
  }

  /**
   * Does what `admit` does for an answer that super validators agreed on earlier. A pending
   * withdrawal of the floor therefore stays.
   */
  raise(id: FloorId, sighting: Sighting): MaybePromise<boolean> {
    const floor = floorOf(sighting)
    const inForce = floor === undefined ? this.#floors.find(id) : this.#floors.raise(id, floor)
    return whenKnown(inForce, (found) => !isBelow(sighting, found, this.#clock.wall()))
  }

  /** Whether an answer is older than the floor. */
  isBehind(id: FloorId, sighting: Sighting): MaybePromise<boolean> {
    return whenKnown(this.#floors.find(id), (floor) => isBelow(sighting, floor, this.#clock.wall()))
  }

  /**
   * Records that at least n - f super validators gave an answer older than the floor. The floor
   * ends at the second such answer, ten seconds or more after the first.
   * @returns true if the floor has ended and the answer may be served.
   */
  withdraw(id: FloorId, sighting: Sighting): MaybePromise<boolean> {
    if (!this.#withdrawals.reportBelowFloor(id.text, sighting, this.#clock.now())) return false
    return whenKnown(this.#floors.end(id), () => this.admit(id, sighting))
  }

  reset(id: FloorId): MaybePromise<void> {
    return this.#floors.end(id)
  }

  /**
   * Removes the floor whose key an operator of the daemon found in the log. Returns false if no
   * floor has that key.
   */
  resetKey(key: string): MaybePromise<boolean> {
    return isFloorKey(key) && this.#floors.endKey(key)
  }

  keysOf(id: FloorId): readonly string[] {
    return this.#floors.keysOf(id)
  }
}

export const withdrawalMs = 10_000
const mostPending = 10_000

interface FirstReport {
  readonly version: string
  readonly at: number
}

/** An absence, or a value without a version, counts as older than every version. */
const absent = ''

/**
 * Decides whether a floor, the version below which no answer is served, ends early
 * (quorum.md#never-back).
 * The floor ends when at least n - f super validators give an older answer twice, at least ten
 * seconds apart.
 */
export class Withdrawals {
  readonly #first = new LRUCache<string, FirstReport>({ max: mostPending })

  /**
   * Records that at least n - f super validators gave an answer below the floor.
   * @param at milliseconds on a monotonic clock.
   * @returns true if the floor ends, because the first such report came at least `withdrawalMs`
   * before.
   */
  reportBelowFloor(key: string, sighting: Sighting, at: number): boolean {
    const version = sighting.kind === 'absence' ? absent : (sighting.version ?? absent)
    const first = this.#first.get(key)
    // An answer that is older than the reported one does not confirm the report, but replaces it.
    if (first === undefined || version < first.version) {
      this.#first.set(key, { version, at })
      return false
    }
    if (at - first.at < withdrawalMs) return false
    this.#first.delete(key)
    return true
  }

  forgetReport(key: string): void {
    if (this.#first.size > 0) this.#first.delete(key)
  }
}
