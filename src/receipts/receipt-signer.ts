import type { KeyObject } from 'node:crypto'
import { LazyWorker } from '../base/lib/lazy-worker.ts'
import type { MaybePromise } from '../base/lib/maybe-promise.ts'
import { workerFile } from '../base/lib/worker-file.ts'
import { type KeyedJob, type ReceiptJob, type SignedReceipt, trySignReceipt } from './sign-receipt.ts'

interface QueuedReceipt extends KeyedJob {
  readonly resolve: (signed: SignedReceipt | undefined) => void
}

/** If more receipts wait, responses are sent without a receipt. */
const mostWaiting = 10_000
const mostBytes = 64 * 1024 * 1024

/** The longest body that is signed on the main thread, in about 0.1 ms. */
const longestHere = 4_096

export interface ReceiptSignerDeps {
  readonly failed?: (why: Error) => void
  readonly notMade?: () => void
}

/**
 * Makes receipts. Short bodies are signed at once on the main thread. Another thread, which the first
 * long body starts, signs the long ones.
 */
export class ReceiptSigner implements AsyncDisposable {
  readonly #deps: ReceiptSignerDeps
  readonly #waiting: QueuedReceipt[] = []
  #bytes = 0
  #current: QueuedReceipt | undefined
  readonly #worker = new LazyWorker<KeyedJob, SignedReceipt | undefined>(
    workerFile(import.meta.url, 'sign-worker'),
    { name: 'receipts' },
    { replied: (signed) => this.#done(signed), ended: (why) => this.#ended(why) },
  )
  #isClosed = false

  constructor(deps: ReceiptSignerDeps = {}) {
    this.#deps = deps
  }

  /**
   * Returns undefined if too many receipts wait, the signer is closed, the thread failed, or the body
   * has no canonical JSON.
   */
  sign(job: ReceiptJob, key: KeyObject): MaybePromise<SignedReceipt | undefined> {
    return job.body.length <= longestHere ? trySignReceipt(job, key) : this.#signElsewhere(job, key)
  }

  async #signElsewhere(job: ReceiptJob, key: KeyObject): Promise<SignedReceipt | undefined> {
    const made = await this.#enqueue(job, key)
    if (made === undefined) this.#deps.notMade?.()
    return made
  }

  #enqueue(job: ReceiptJob, key: KeyObject): Promise<SignedReceipt | undefined> {
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
    await this.#worker.end(new Error('the signer is closed'))
  }

  #next(): void {
    if (this.#current !== undefined) return
    this.#current = this.#waiting.shift()
    if (this.#current === undefined) return
    const { job, key } = this.#current
    this.#bytes -= job.body.length
    this.#worker.send({ job: withOwnBytes(job), key })
  }

  #ended(why: Error): void {
    if (!this.#isClosed) this.#deps.failed?.(why)
    this.#done(undefined)
  }

  #done(signed: SignedReceipt | undefined): void {
    const done = this.#current
    this.#current = undefined
    this.#next()
    done?.resolve(signed)
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
