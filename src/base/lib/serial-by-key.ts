/**
 * Tasks with the same key run one after the other. Tasks with different keys do not wait for each
 * other.
 */
export class SerialByKey {
  readonly #last = new Map<string, Promise<unknown>>()

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key)
    const mine = before === undefined ? task() : before.then(task, task)
    this.#last.set(key, mine)
    try {
      return await mine
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key)
    }
  }
}
