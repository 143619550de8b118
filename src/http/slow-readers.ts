/**
 * The readers for which texts wait in memory. When the texts have more characters than `most`, the
 * readers that have waited longest are disconnected, because callers that read nothing could fill
 * the memory.
 */
export class SlowReaders {
  readonly #most: number
  readonly #waiting = new Set<SlowReader>()
  #characters = 0

  constructor(most: number) {
    this.#most = most
  }

  /**
   * Adds a reader that begins to wait. A reader that takes something and waits again counts as new.
   * @param characters the length of the texts that wait for this reader.
   * @param disconnect called at most once.
   * @returns a function that the caller must call when the wait is over.
   */
  add(characters: number, disconnect: () => void): () => void {
    const added = { characters, disconnect }
    this.#waiting.add(added)
    this.#characters += characters
    while (this.#characters > this.#most) {
      const [oldest] = this.#waiting
      this.#remove(oldest as SlowReader)
      oldest?.disconnect()
    }
    return () => this.#remove(added)
  }

  #remove(waiting: SlowReader): void {
    if (this.#waiting.delete(waiting)) this.#characters -= waiting.characters
  }
}

interface SlowReader {
  readonly characters: number
  readonly disconnect: () => void
}
