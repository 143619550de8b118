/** The longest interval of a timer, in milliseconds. */
const longestMs = 0x7fff_ffff

/**
 * Keeps the process alive while the promise of a function is pending. Node ends a process that has no active
 * timer and no open socket. The timers of a `Clock` do not count, and a read that waits for a rate limit has
 * no socket yet.
 */
export class KeepAlive {
  #waiting = 0
  #timer: ReturnType<typeof setInterval> | undefined

  /**
   * Runs a function, and keeps the process alive until the promise of the function settles. Settles with the
   * same outcome.
   */
  async during<Value>(run: () => Promise<Value>): Promise<Value> {
    if (this.#waiting++ === 0) this.#timer = setInterval(() => {}, longestMs)
    try {
      return await run()
    } finally {
      if (--this.#waiting === 0) clearInterval(this.#timer)
    }
  }
}
