import { longestTimerMs } from './clock.ts'

/**
 * Keeps the process alive while the promise of a function is pending. Otherwise Node could end the process
 * while a read waits, for example for a rate limit. Such a read has no open socket yet, and timers of a
 * `Clock` do not keep a process alive.
 */
export class KeepAlive {
  #waiting = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  /**
   * Runs a function, and keeps the process alive until the function's promise settles. Returns the function's
   * result, or throws its error.
   */
  async during<Value>(run: () => Promise<Value>): Promise<Value> {
    if (this.#waiting++ === 0) this.#hold()
    try {
      return await run()
    } finally {
      if (--this.#waiting === 0) clearTimeout(this.#timer)
    }
  }

  #hold(): void {
    this.#timer = setTimeout(() => this.#hold(), longestTimerMs)
  }
}
