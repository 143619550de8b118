import { firstIndex } from '../lib/first-index.ts'
import { codePointKey, compareCodePoints } from '../reads/code-points.ts'

/** A list of names in the order of their code points, in which names with the same prefix are neighbours. */
export class SortedNames {
  readonly #names: string[]

  /** @param names the names to begin with, in any order. They must all differ. */
  constructor(names: Iterable<string>) {
    this.#names = Array.from(names, (name) => ({ name, key: codePointKey(name) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ name }) => name)
  }

  add(name: string): void {
    this.#names.splice(this.#at(name), 0, name)
  }

  delete(name: string): void {
    const at = this.#at(name)
    if (this.#names[at] === name) this.#names.splice(at, 1)
  }

  /** Yields the name `first`, if the list has it, and all names after it. */
  *from(first: string): Generator<string> {
    for (let at = this.#at(first); at < this.#names.length; at++) yield this.#names[at] as string
  }

  /** Returns the index of this name or, if the list lacks it, the index at which it would be inserted. */
  #at(name: string): number {
    const names = this.#names
    return firstIndex(names.length, (at) => compareCodePoints(names[at] as string, name) >= 0)
  }
}
