/** Reads a text from left to right. Once something else is there than was expected, nothing is found any more. */
export class Scan {
  readonly #text: string
  #at: number

  constructor(text: string, at = 0) {
    this.#text = text
    this.#at = at
  }

  /** What is read next; -1 where something else was expected. */
  get at(): number {
    return this.#at
  }

  /** Whether this comes next; it is passed then. */
  pass(expected: string): boolean {
    if (this.#at === -1) return false
    const end = this.#at + expected.length
    // A slice is compared by words, and `startsWith` goes by single characters, which takes ten times as long.
    if (this.#text.slice(this.#at, end) !== expected) return false
    this.#at = end
    return true
  }

  /** What is between this, which has to come next, and the first `end` behind it, which comes next then. */
  between(start: string, end: string): string {
    if (!this.pass(start)) {
      this.#at = -1
      return ''
    }
    const from = this.#at
    this.#at = this.#text.indexOf(end, from)
    return this.#at === -1 ? '' : this.#text.slice(from, this.#at)
  }

  /** Whether this comes next, and nothing behind it. */
  endsWith(expected: string): boolean {
    return this.pass(expected) && this.#at === this.#text.length
  }
}
