import { Worker } from 'node:worker_threads'

export interface LazyWorkerOptions {
  /** The name of the thread in a debugger. */
  readonly name: string
  /** The limit of the thread's heap, in MiB; Node's default if absent. */
  readonly heapMiB?: number
}

export interface LazyWorkerEvents<Reply> {
  readonly replied: (reply: Reply) => void
  /** Called once for each thread that ends, with the reason. The next message starts another thread. */
  readonly ended: (why: Error) => void
}

/**
 * A thread that starts with the first message and answers each message with one reply. It keeps the process
 * alive only while a message waits for its reply. The code that calls `send` must wait for the reply before
 * the next message.
 */
export class LazyWorker<Message, Reply> {
  readonly #file: URL
  readonly #options: LazyWorkerOptions
  readonly #events: LazyWorkerEvents<Reply>
  #worker: Worker | undefined

  constructor(file: URL, options: LazyWorkerOptions, events: LazyWorkerEvents<Reply>) {
    this.#file = file
    this.#options = options
    this.#events = events
  }

  /** @param transfers buffers of the message that the thread takes over, so that they are not copied. */
  send(message: Message, transfers: readonly ArrayBuffer[] = []): void {
    const worker = this.#worker ?? this.#tryStart()
    worker?.ref()
    worker?.postMessage(message, transfers)
  }

  /**
   * Resolves with the CPU time that the thread has used since it started, in milliseconds. Resolves with 0 if
   * no thread runs. The promise stays pending if the thread ends before it has reported the time.
   */
  async cpuMs(): Promise<number> {
    try {
      const { user, system } = (await this.#worker?.cpuUsage()) ?? { user: 0, system: 0 }
      return (user + system) / 1000
    } catch {
      return 0
    }
  }

  /** Ends the thread, if it was started. Resolves when it has ended. */
  async end(why: Error): Promise<void> {
    const worker = this.#worker
    if (worker === undefined) return
    this.#ended(worker, why)
    await worker.terminate()
  }

  /**
   * Starts the thread. If the system permits no further thread, returns undefined, and calls `ended`
   * afterwards.
   */
  #tryStart(): Worker | undefined {
    try {
      this.#worker = this.#start()
    } catch (error) {
      queueMicrotask(() => this.#events.ended(error as Error))
    }
    return this.#worker
  }

  #start(): Worker {
    const { name, heapMiB } = this.#options
    const limits = heapMiB === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heapMiB } }
    const worker = new Worker(this.#file, { name, env: {}, ...limits })
    worker.on('message', (reply: Reply) => {
      // A thread that was ended may still deliver a reply. The message to which it replies has already
      // failed.
      if (this.#worker !== worker) return
      worker.unref()
      this.#events.replied(reply)
    })
    worker.on('error', (error: Error) => this.#ended(worker, error))
    worker.on('exit', () => this.#ended(worker, new Error('the thread ended')))
    return worker
  }

  #ended(worker: Worker, why: Error): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#events.ended(why)
  }
}
