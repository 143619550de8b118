/** Remembers the values that were used last, so many and no more. */
export class Recent<K, V> {
  readonly #most: number
  readonly #values = new Map<K, V>()

  constructor(most: number) {
    this.#most = most
  }

  get(key: K): V | undefined {
    const value = this.#values.get(key)
    if (value === undefined) return undefined
    this.#values.delete(key)
    this.#values.set(key, value)
    return value
  }

  set(key: K, value: V): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size <= this.#most) return
    const [oldest] = this.#values.keys()
    this.#values.delete(oldest as K)
  }

  delete(key: K): void {
    this.#values.delete(key)
  }

  clear(): void {
    this.#values.clear()
  }
}
