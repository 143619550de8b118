export const other = 'other'

const longestValue = 200

/**
 * The permitted values of one label. Metrics show all other values as `other`, so that callers
 * cannot fill the memory with ever new values.
 */
export class BoundedLabel {
  readonly #values: Set<string>
  readonly #most: number

  /**
   * By default, no value can be added later.
   * @param most the maximum number of values, the given ones included
   */
  constructor(values: Iterable<string>, most?: number) {
    this.#values = new Set(values)
    this.#most = most ?? this.#values.size
  }

  has(value: string): boolean {
    return this.#values.has(value)
  }

  bounded(value: string): string {
    return this.#values.has(value) ? value : other
  }

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
