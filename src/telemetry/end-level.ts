/**
 * Chooses the level of the log line about something that works: `warn` after an outage, else
 * `info`. A log at level `warn` then shows the beginning and the end of each outage.
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
