/** What a label says for every value that it does not know. */
export const other = 'other'

const longestValue = 200

/**
 * The values that one label may have, so that nobody outside can make metrics grow: whatever is not among them is
 * written as `other`.
 */
export class LabelValues {
  readonly #values: Set<string>
  readonly #most: number

  /** @param most how many values there may be at a time, counting those that are admitted later. */
  constructor(values: Iterable<string>, most?: number) {
    this.#values = new Set(values)
    this.#most = most ?? this.#values.size
  }

  has(value: string): boolean {
    return this.#values.has(value)
  }

  /** The value itself where it is known, else `other`. */
  bounded(value: string): string {
    return this.#values.has(value) ? value : other
  }

  /** False where there is no room, or where the text cannot be told apart from others in an exposition. */
  admit(value: string): boolean {
    if (this.#values.has(value)) return true
    if (this.#values.size >= this.#most || !canStand(value)) return false
    this.#values.add(value)
    return true
  }

  dismiss(value: string): void {
    this.#values.delete(value)
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.#values.values()
  }

  get size(): number {
    return this.#values.size
  }
}

function canStand(value: string): boolean {
  return value !== '' && value.length <= longestValue && value.isWellFormed() && !value.includes('\0')
}
