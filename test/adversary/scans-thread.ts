import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Order, Report } from './scans-worker.ts'

/** Scans in a thread of their own. The thread answers one order after the other. */
export class ScansThread implements AsyncDisposable {
  readonly #worker = new Worker(new URL('./scans-worker.ts', import.meta.url))
  ports: readonly number[] = []

  static async start(scans: number): Promise<ScansThread> {
    const thread = new ScansThread()
    thread.ports = (await thread.order({ do: 'listen', scans })) as readonly number[]
    return thread
  }

  async order(order: Order): Promise<unknown> {
    this.#worker.postMessage(order)
    const [answer] = await once(this.#worker, 'message')
    return answer
  }

  async report(): Promise<Report> {
    return (await this.order({ do: 'report' })) as Report
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }
}
