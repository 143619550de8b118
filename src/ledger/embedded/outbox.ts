/** Messages that are sent together: those of one turn, whose clone and wake-up then cost once. */
export class Outbox<Message> {
  readonly #post: (messages: readonly Message[]) => void
  #messages: Message[] = []

  constructor(post: (messages: readonly Message[]) => void) {
    this.#post = post
  }

  add(message: Message): void {
    if (this.#messages.push(message) === 1) queueMicrotask(() => this.flush())
  }

  /** Sends at once whatever waits. */
  flush(): void {
    if (this.#messages.length === 0) return
    const messages = this.#messages
    this.#messages = []
    this.#post(messages)
  }
}
