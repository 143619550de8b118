import { firstIndex } from '../lib/first-index.ts'
import { sortedBy } from '../lib/in-portions.ts'
import { codePointKey, compareCodePoints } from '../reads/code-points.ts'

/** Names in the order of their code points, in which names with the same prefix are neighbours. */
export class SortedNames {
  readonly #names: string[]

  private constructor(names: readonly string[]) {
    this.#names = [...names]
  }

  static *of(names: Iterable<string>): Generator<void, SortedNames> {
    return new SortedNames(yield* sortedBy([...names], codePointKey))
  }

  add(name: string): void {
    this.#names.splice(this.#at(name), 0, name)
  }

  delete(name: string): void {
    const at = this.#at(name)
    if (this.#names[at] === name) this.#names.splice(at, 1)
  }

  *from(first: string): Generator<string> {
    for (let at = this.#at(first); at < this.#names.length; at++) yield this.#names[at] as string
  }

  #at(name: string): number {
    const names = this.#names
    return firstIndex(names.length, (at) => compareCodePoints(names[at] as string, name) >= 0)
  }
}
