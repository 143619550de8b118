import type { Clock } from '../lib/clock.ts'
import type { Generation, Generations } from './generations.ts'
import { RaiseBook } from './raise-book.ts'

/** Generations of a daemon that shares its answers with no other daemon. */
export class LocalGenerations implements Generations {
  readonly #book: RaiseBook

  constructor(clock: Clock) {
    this.#book = new RaiseBook(clock)
  }

  get current(): Generation {
    return this.#book.current
  }

  isCurrent(key: string, generation: Generation): boolean {
    return this.#book.isCurrent(key, generation)
  }

  adopt(key: string, position: string): Generation | undefined {
    return this.#book.adopt(key, position)
  }

  withholdsAbsence(key: string): boolean {
    return this.#book.withholdsAbsence(key)
  }

  raise(topics: readonly string[]): void {
    this.#book.raiseHere(topics)
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
