/**
 * Chooses the level of the log line which says that something works. After an outage, the level is `warn`,
 * like that of the line about the beginning of the outage. A log at level `warn` then shows both lines.
 * Without a preceding outage, the level is `info`.
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
