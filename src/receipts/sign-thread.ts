import type { KeyObject } from 'node:crypto'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { SigningThread } from './receipt-signer.ts'
import type { SignBatch, SignedBatch } from './sign-protocol.ts'
import type { ReceiptJob, SignedReceipt } from './signed-receipt.ts'

interface Waiting {
  readonly job: ReceiptJob
  readonly key: KeyObject
  readonly resolve: (signed: SignedReceipt | undefined) => void
}

/** The most receipts that may wait. Further responses go out without a receipt. */
const mostWaiting = 10_000
/** The most bytes of bodies that may wait. */
const mostBytes = 64 * 1024 * 1024
/** The most receipts in one message to the thread. */
const mostInBatch = 256
/** The most bytes of bodies in one message to the thread, unless it is a single body. */
const mostBytesInBatch = 1024 * 1024

/** Makes receipts on a thread, which the first receipt starts. */
export class SignThread implements SigningThread, AsyncDisposable {
  readonly #waiting: Waiting[] = []
  #bytes = 0
  #current: readonly Waiting[] = []
  #worker: Worker | undefined
  #isClosed = false

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
    const worker = this.#worker
    if (worker === undefined) return
    this.#lost(worker)
    await worker.terminate()
  }

  #next(): void {
    if (this.#current.length > 0 || this.#waiting.length === 0) return
    const batch = this.#waiting.splice(0, this.#batchLength())
    for (const { job } of batch) this.#bytes -= job.body.length
    this.#current = batch
    this.#worker ??= this.#start()
    this.#worker.ref()
    const message: SignBatch = { jobs: batch.map(({ job, key }) => ({ job: withOwnBytes(job), key })) }
    this.#worker.postMessage(message)
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

  #start(): Worker {
    const file = new URL(`./sign-worker${extname(import.meta.url)}`, import.meta.url)
    const worker = new Worker(file, { name: 'receipts', env: {} })
    worker.on('message', (signed: SignedBatch) => this.#done(signed))
    worker.on('error', () => this.#lost(worker))
    worker.on('exit', () => this.#lost(worker))
    return worker
  }

  #done(signed: SignedBatch): void {
    const batch = this.#current
    this.#current = []
    this.#worker?.unref()
    this.#next()
    for (const [at, { resolve }] of batch.entries()) resolve(signed[at])
  }

  /** Resolves the current batch without receipts, because the thread ended. The next batch starts another thread. */
  #lost(worker: Worker): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#done([])
  }
}

/** Copies a body that is a part of a larger buffer, because a message takes the whole buffer along. */
function withOwnBytes(job: ReceiptJob): ReceiptJob {
  const { body } = job
  return typeof body === 'string' || body.byteLength === body.buffer.byteLength
    ? job
    : { ...job, body: new Uint8Array(body) }
}
