import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Order, Report } from './scans-worker.ts'

export class ScansThread implements AsyncDisposable {
  readonly ports: readonly number[]
  readonly #worker: Worker
  readonly #waiting: Map<number, (answer: unknown) => void>
  #id = 1

  private constructor(
    worker: Worker,
    ports: readonly number[],
    waiting: Map<number, (answer: unknown) => void>,
  ) {
    this.#worker = worker
    this.ports = ports
    this.#waiting = waiting
  }

  static async start(scans: number): Promise<ScansThread> {
    const worker = new Worker(new URL('./scans-worker.ts', import.meta.url))
    const waiting = new Map<number, (answer: unknown) => void>()
    worker.on('message', ({ id, answer }) => {
      waiting.get(id)?.(answer)
      waiting.delete(id)
    })
    const ports = new Promise((resolve) => waiting.set(0, resolve))
    worker.postMessage({ id: 0, order: { do: 'listen', scans } satisfies Order })
    return new ScansThread(
      worker,
      (await Promise.race([ports, failed(worker)])) as readonly number[],
      waiting,
    )
  }

  order(order: Order): Promise<unknown> {
    const id = this.#id++
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#worker.postMessage({ id, order })
    })
  }

  async report(): Promise<Report> {
    return (await this.order({ do: 'report' })) as Report
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }
}

async function failed(worker: Worker): Promise<never> {
  const [error] = await once(worker, 'error')
  throw error
}
