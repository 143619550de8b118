import type { KeyObject } from 'node:crypto'
import { LazyWorker } from '../lib/lazy-worker.ts'
import { workerFile } from '../lib/worker-file.ts'
import type { ReceiptJob, SignBatch, SignedBatch, SignedReceipt } from './sign-receipt.ts'

interface QueuedReceipt {
  readonly job: ReceiptJob
  readonly key: KeyObject
  readonly resolve: (signed: SignedReceipt | undefined) => void
}

/** If more receipts wait, responses are sent without a receipt. */
const mostWaiting = 10_000
const mostBytes = 64 * 1024 * 1024
const mostInBatch = 256
/** The limit for all bodies in one message together. A single body may have more bytes. */
const mostBytesInBatch = 1024 * 1024

/** The receipts that another thread makes. The first receipt starts the thread. */
export class SigningQueue implements AsyncDisposable {
  readonly #waiting: QueuedReceipt[] = []
  #bytes = 0
  #current: readonly QueuedReceipt[] = []
  readonly #worker = new LazyWorker<SignBatch, SignedBatch>(
    workerFile(import.meta.url, 'sign-worker'),
    { name: 'receipts' },
    { replied: (signed) => this.#done(signed), ended: (why) => this.#ended(why) },
  )
  readonly #failed: (why: Error) => void
  #isClosed = false

  constructor({ failed = () => {} }: { readonly failed?: (why: Error) => void } = {}) {
    this.#failed = failed
  }

  /**
   * Returns undefined if too many receipts wait, the queue is closed, the thread failed, or the
   * body has no canonical JSON.
   */
  sign(job: ReceiptJob, key: KeyObject): Promise<SignedReceipt | undefined> {
    const { length } = job.body
    const isFull = this.#waiting.length >= mostWaiting || this.#bytes + length > mostBytes
    if (this.#isClosed || isFull) return Promise.resolve(undefined)
    const { promise, resolve } = Promise.withResolvers<SignedReceipt | undefined>()
    this.#waiting.push({ job, key, resolve })
    this.#bytes += length
    this.#next()
    return promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const { resolve } of this.#waiting.splice(0)) resolve(undefined)
    await this.#worker.end(new Error('the queue is closed'))
  }

  #next(): void {
    if (this.#current.length > 0 || this.#waiting.length === 0) return
    const batch = this.#waiting.splice(0, this.#batchLength())
    for (const { job } of batch) this.#bytes -= job.body.length
    this.#current = batch
    this.#worker.send({ jobs: batch.map(({ job, key }) => ({ job: withOwnBytes(job), key })) })
  }

  #batchLength(): number {
    let bytes = 0
    let length = 0
    for (const { job } of this.#waiting) {
      bytes += job.body.length
      if (length === mostInBatch || (length > 0 && bytes > mostBytesInBatch)) break
      length++
    }
    return length
  }

  #ended(why: Error): void {
    if (!this.#isClosed) this.#failed(why)
    this.#done([])
  }

  #done(signed: SignedBatch): void {
    const batch = this.#current
    this.#current = []
    this.#next()
    for (const [at, { resolve }] of batch.entries()) resolve(signed[at])
  }
}

/**
 * Copies the body if it is a part of a larger buffer. Otherwise the message to the thread would
 * copy that whole buffer.
 */
function withOwnBytes(job: ReceiptJob): ReceiptJob {
  const { body } = job
  return typeof body === 'string' || body.byteLength === body.buffer.byteLength
    ? job
    : { ...job, body: new Uint8Array(body) }
}
