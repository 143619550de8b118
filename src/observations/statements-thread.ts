import { LazyWorker } from '../lib/lazy-worker.ts'
import { workerFile } from '../lib/worker-file.ts'
import type { Question } from '../reads/read.ts'
import type { ObservedScope } from './observed-contracts.ts'
import type { StatedBody, StatementsJob } from './statements-protocol.ts'

interface Waiting {
  readonly job: StatementsJob
  readonly resolve: (stated: StatedBody) => void
}

/**
 * Each super validator can send a different body of the greatest permitted length. Without this
 * limit, waiting bodies could fill the memory.
 */
const mostBytes = 64 * 1024 * 1024
const heapMiB = 256

/** Parses long bodies on another thread, which starts with the first of them. */
export class StatementsThread implements AsyncDisposable {
  readonly #scope: ObservedScope
  readonly #waiting: Waiting[] = []
  #bytes = 0
  #current: Waiting | undefined
  readonly #worker = new LazyWorker<StatementsJob, StatedBody>(
    workerFile(import.meta.url, 'statements-worker'),
    { name: 'observations', heapMiB },
    { replied: (stated) => this.#done(stated), ended: (why) => this.#ended(why) },
  )
  readonly #failed: (why: Error) => void
  #isClosed = false

  constructor(scope: ObservedScope, { failed = () => {} }: { readonly failed?: (why: Error) => void } = {}) {
    this.#scope = scope
    this.#failed = failed
  }

  /**
   * Copies the body before it returns. Resolves with an empty list if too many bytes wait, or if
   * the thread ends.
   */
  stated({ read, params }: Question, bytes: Uint8Array): Promise<StatedBody> {
    if (this.#isClosed || this.#bytes + bytes.length > mostBytes) return Promise.resolve([])
    const { promise, resolve } = Promise.withResolvers<StatedBody>()
    const job = { readId: read.id, params, scope: this.#scope, bytes: new Uint8Array(bytes) }
    this.#waiting.push({ job, resolve })
    this.#bytes += bytes.length
    this.#next()
    return promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const { resolve } of this.#waiting.splice(0)) resolve([])
    await this.#worker.end(new Error('the thread is closed'))
  }

  #next(): void {
    if (this.#current !== undefined) return
    const next = this.#waiting.shift()
    if (next === undefined) return
    const { job } = next
    this.#current = next
    this.#bytes -= job.bytes.length
    this.#worker.send(job, [job.bytes.buffer])
  }

  #ended(why: Error): void {
    if (!this.#isClosed) this.#failed(why)
    this.#done([])
  }

  #done(stated: StatedBody): void {
    const current = this.#current
    this.#current = undefined
    this.#next()
    current?.resolve(stated)
  }
}
