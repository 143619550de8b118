/** The longest interval of a timer, in milliseconds. */
const longestMs = 0x7fff_ffff

/**
 * Keeps the process alive while a caller waits for a promise. Nothing else does that reliably: the timers of
 * a `Clock` never keep a process alive, and a read that waits to be sent has no open socket.
 */
export class KeepAlive {
  #waiting = 0
  #timer: ReturnType<typeof setInterval> | undefined

  /**
   * Runs a function, and keeps the process alive until its promise is done. Resolves with the function's
   * result.
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
