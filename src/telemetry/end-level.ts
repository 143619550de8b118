/**
 * Chooses the level of the log line which says that something works. After an outage, the level is `warn`, as
 * for the line about the beginning of the outage, so that a log at level `warn` shows both lines. Without a
 * preceding outage, the level is `info`.
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
