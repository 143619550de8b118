/**
 * Messages that are sent together, whose clone and wake-up then cost once: those of one turn of the event loop, and of
 * the continuations of all that is resolved in it.
 */
export class Outbox<Message> {
  readonly #post: (messages: readonly Message[]) => void
  #messages: Message[] = []

  constructor(post: (messages: readonly Message[]) => void) {
    this.#post = post
  }

  add(message: Message): void {
    // A tick that a microtask asks for comes when all microtasks are done.
    if (this.#messages.push(message) === 1) queueMicrotask(() => process.nextTick(() => this.flush()))
  }

  /** Sends at once whatever waits. */
  flush(): void {
    if (this.#messages.length === 0) return
    const messages = this.#messages
    this.#messages = []
    this.#post(messages)
  }
}
