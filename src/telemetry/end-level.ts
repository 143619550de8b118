/**
 * Chooses the level of a line that says that something works: `warn` after an outage, else `info`.
 * A log at level `warn` then shows the beginning and the end of each outage.
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
