import type { KeyObject } from 'node:crypto'
import { LazyWorker } from '../lib/lazy-worker.ts'
import { workerFile } from '../lib/worker-file.ts'
import type { SignBatch, SignedBatch } from './sign-protocol.ts'
import type { ReceiptJob, SignedReceipt } from './sign-receipt.ts'

interface Waiting {
  readonly job: ReceiptJob
  readonly key: KeyObject
  readonly resolve: (signed: SignedReceipt | undefined) => void
}

/** The maximum number of receipts that may wait. If more are wanted, responses are sent without a receipt. */
const mostWaiting = 10_000
/** The maximum number of bytes that the bodies of all waiting receipts may have together. */
const mostBytes = 64 * 1024 * 1024
/** The maximum number of receipts in one message to the thread. */
const mostInBatch = 256
/**
 * The maximum number of bytes that the bodies in one message to the thread may have together. A single body
 * may have more.
 */
const mostBytesInBatch = 1024 * 1024

/** The receipts that wait to be made on another thread. The first receipt starts the thread. */
export class SigningQueue implements AsyncDisposable {
  readonly #waiting: Waiting[] = []
  #bytes = 0
  #current: readonly Waiting[] = []
  /** If the thread ends unexpectedly, the receipts of the current batch are not made. */
  readonly #worker = new LazyWorker<SignBatch, SignedBatch>(
    workerFile(import.meta.url, 'sign-worker'),
    { name: 'receipts' },
    { replied: (signed) => this.#done(signed), ended: (why) => this.#ended(why) },
  )
  readonly #failed: (why: Error) => void
  #isClosed = false

  /** `failed` is called with the reason if the thread ends unexpectedly or does not start. */
  constructor({ failed = () => {} }: { readonly failed?: (why: Error) => void } = {}) {
    this.#failed = failed
  }

  /**
   * Makes a receipt. Undefined if too many receipts wait, the queue is closed, the thread failed, or the body
   * has no canonical JSON.
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
 * Copies the body if it is part of a larger buffer, because a message to a thread would copy the whole
 * buffer.
 */
function withOwnBytes(job: ReceiptJob): ReceiptJob {
  const { body } = job
  return typeof body === 'string' || body.byteLength === body.buffer.byteLength
    ? job
    : { ...job, body: new Uint8Array(body) }
}
