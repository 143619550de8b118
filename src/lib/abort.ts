/** As much of `AbortSignal` as is used here: every `AbortSignal` is one. */
export interface AbortNotice {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: AbortListener, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: AbortListener): void
}

export type AbortListener = (() => void) | { handleEvent(): void }

/**
 * `AbortController` and its signal in one, for where thousands a second are made, listened to and thrown away:
 * listeners are called once, in their order, and one that throws keeps the others from being called.
 */
export class AbortSource implements AbortNotice {
  #aborted = false
  #reason: unknown
  #listeners: AbortListener[] = []

  get aborted(): boolean {
    return this.#aborted
  }

  get reason(): unknown {
    return this.#reason
  }

  /** Once; later calls change nothing. */
  abort(reason: unknown): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = reason
    const listeners = this.#listeners
    this.#listeners = []
    for (const listener of listeners) {
      if (typeof listener === 'function') listener()
      else listener.handleEvent()
    }
  }

  addEventListener(_type: 'abort', listener: AbortListener): void {
    if (!this.#aborted) this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: AbortListener): void {
    const at = this.#listeners.indexOf(listener)
    if (at !== -1) this.#listeners.splice(at, 1)
  }
}

/** @throws its reason where it has aborted. */
export function throwIfAborted({ aborted, reason }: AbortNotice): void {
  if (aborted) throw reason
}
