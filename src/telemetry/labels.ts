/** Replaces every label value that is not known. */
export const other = 'other'

const longestValue = 200

/**
 * The permitted values of one label. Every other value is written as `other`, so that callers cannot make metrics grow.
 */
export class LabelValues {
  readonly #values: Set<string>
  readonly #most: number

  /** @param most the most values permitted at once: these and the admitted ones. Default: no more than these. */
  constructor(values: Iterable<string>, most?: number) {
    this.#values = new Set(values)
    this.#most = most ?? this.#values.size
  }

  has(value: string): boolean {
    return this.#values.has(value)
  }

  /** Returns the value itself if it is known, else `other`. */
  bounded(value: string): string {
    return this.#values.has(value) ? value : other
  }

  /** Permits a value. Returns false if there are too many values, or if it is empty, too long or ill-formed. */
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
