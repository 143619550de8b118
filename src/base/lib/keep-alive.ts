import { longestTimerMs } from './clock.ts'

/**
 * Keeps the process alive while a read waits without an open socket, for example for a rate limit.
 * Timers of a `Clock` do not keep a process alive.
 */
export class KeepAlive {
  #waiting = 0
  #timer: ReturnType<typeof setTimeout> | undefined

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
