import { Worker } from 'node:worker_threads'

export interface LazyWorkerOptions {
  readonly name: string
  readonly heapMiB?: number
}

export interface LazyWorkerEvents<Reply> {
  readonly replied: (reply: Reply) => void
  /** Called once for each thread that ends or cannot start. The next message starts another. */
  readonly ended: (why: Error) => void
}

/**
 * A thread that starts with the first message, and keeps the process alive only while a reply is
 * due. The caller must wait for the reply before the next message.
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

  send(message: Message, transfers: readonly ArrayBuffer[] = []): void {
    const worker = this.#worker ?? this.#tryStart()
    worker?.ref()
    worker?.postMessage(message, transfers)
  }

  /**
   * Returns the CPU time that the thread has used since its start, or 0 without a thread. The
   * promise stays pending if the thread ends before it tells the time.
   */
  async cpuMs(): Promise<number> {
    try {
      const { user, system } = (await this.#worker?.cpuUsage()) ?? { user: 0, system: 0 }
      return (user + system) / 1000
    } catch {
      return 0
    }
  }

  async end(why: Error): Promise<void> {
    const worker = this.#worker
    if (worker === undefined) return
    this.#ended(worker, why)
    await worker.terminate()
  }

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
      // A thread that was ended may still deliver a reply to a message that has already failed.
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
