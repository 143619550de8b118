import type { Budget, Growing } from './in-flight-budget.ts'

/** The bytes that one request holds of its node's budget until its body is released. */
export class Reservation implements Growing {
  readonly #budget: Budget
  readonly #owner: { granted(): void }
  #held: number
  #wanted = 0
  #hasWaited = false

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

  get hasWaited(): boolean {
    return this.#hasWaited
  }

  /**
   * Asks the budget for as many more bytes as the request needs to hold `bytes` in total. Returns
   * true if they are reserved now. Otherwise `owner.granted` is called later, unless `settle` ends
   * the wait.
   */
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
