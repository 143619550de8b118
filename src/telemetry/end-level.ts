/**
 * Chooses the level of the log line which says that something works. After an outage the line is a `warn`, as the line
 * about the beginning of the outage is, so that a log at level `warn` shows both. Without a preceding outage, the line
 * is an `info`.
 */
export class EndLevel {
  #isDown = false

  began(): void {
    this.#isDown = true
  }

  ended(): 'info' | 'warn' {
    const level = this.#isDown ? 'warn' : 'info'
    this.#isDown = false
    return level
  }
}
