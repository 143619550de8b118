/** The longest interval that a timer takes. */
const longestMs = 0x7fff_ffff

/**
 * Keeps the process alive while a caller waits for a promise. Nothing else does that reliably: the timers of a `Clock`
 * never keep a process alive, and a read that waits for its turn holds no socket.
 */
export class KeepAlive {
  #waiting = 0
  #timer: ReturnType<typeof setInterval> | undefined

  /** Returns what `run` returns, and keeps the process alive until then. */
  async during<Value>(run: () => Promise<Value>): Promise<Value> {
    if (this.#waiting++ === 0) this.#timer = setInterval(() => {}, longestMs)
    try {
      return await run()
    } finally {
      if (--this.#waiting === 0) clearInterval(this.#timer)
    }
  }
}
