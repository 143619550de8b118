import type { Budget, Growing } from './budget.ts'

/**
 * The bytes that one ask holds of its node's room, from its admission until its body is let go. Whatever it held is
 * given back once, however often it settles.
 */
export class Reservation implements Growing {
  readonly #budget: Budget
  readonly #owner: { granted(): void }
  #held: number
  #wanted = 0
  #hasWaited = false

  /** The owner is told when it holds what it waited for. */
  constructor(budget: Budget, held: number, owner: { granted(): void }) {
    this.#budget = budget
    this.#held = held
    this.#owner = owner
  }

  get held(): number {
    return this.#held
  }

  get wanted(): number {
    return this.#wanted
  }

  /** Whether it was ever told to wait. */
  get hasWaited(): boolean {
    return this.#hasWaited
  }

  /** Whether it holds as much now; if not, it waits until it does, or settles. */
  growTo(bytes: number): boolean {
    if (bytes <= this.#held) return true
    this.#wanted = bytes - this.#held
    if (this.#budget.grow(this)) this.#take()
    else this.#hasWaited = true
    return this.#wanted === 0
  }

  granted(): void {
    this.#take()
    this.#owner.granted()
  }

  /** Holds only as much from now on, and wants no more. */
  settle(bytes: number): void {
    const spare = this.#held - bytes
    this.#held = bytes
    this.#wanted = 0
    this.#budget.leave(this)
    this.#budget.freeBytes(spare)
  }

  #take(): void {
    this.#held += this.#wanted
    this.#wanted = 0
  }
}
