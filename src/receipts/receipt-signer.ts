import type { KeyObject } from 'node:crypto'
import { MisshapenJson } from '../lib/canonical-json.ts'
import type { Clock } from '../lib/clock.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { type ReceiptJob, type SignedReceipt, signReceipt } from './signed-receipt.ts'

/** Makes receipts on another thread than the one that answers callers. */
export interface SigningThread {
  /** Resolves with undefined if too many receipts wait, the thread failed, or the body has no canonical form. */
  sign(job: ReceiptJob, key: KeyObject): Promise<SignedReceipt | undefined>
}

/** The most receipts a second that the answering thread makes itself. Each takes about 0.1 ms. */
const mostHereASecond = 200
/** The longest body whose receipt the answering thread makes itself, in characters or bytes. */
const longestHere = 65_536

/** Makes receipts at once while few are wanted. Further ones, and those of long bodies, are made on another thread. */
export class ReceiptSigner {
  readonly #clock: Pick<Clock, 'now'>
  readonly #thread: SigningThread
  readonly #notMade: () => void
  #second = Number.NEGATIVE_INFINITY
  #madeInSecond = 0

  /** @param deps `notMade` is called for each receipt that the thread does not make. */
  constructor({
    clock,
    thread,
    notMade = () => {},
  }: {
    readonly clock: Pick<Clock, 'now'>
    readonly thread: SigningThread
    readonly notMade?: () => void
  }) {
    this.#clock = clock
    this.#thread = thread
    this.#notMade = notMade
  }

  /** Makes a receipt. Undefined if too many wait, the thread failed, or the body has no canonical form. */
  sign(job: ReceiptJob, key: KeyObject): MaybePromise<SignedReceipt | undefined> {
    const isHere = job.body.length <= longestHere && this.#takeTurn()
    return isHere ? signed(job, key) : this.#signElsewhere(job, key)
  }

  async #signElsewhere(job: ReceiptJob, key: KeyObject): Promise<SignedReceipt | undefined> {
    const made = await this.#thread.sign(job, key)
    if (made === undefined) this.#notMade()
    return made
  }

  #takeTurn(): boolean {
    const second = Math.floor(this.#clock.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#madeInSecond = 0
    }
    return this.#madeInSecond++ < mostHereASecond
  }
}

function signed(job: ReceiptJob, key: KeyObject): SignedReceipt | undefined {
  try {
    return signReceipt(job, key)
  } catch (error) {
    if (error instanceof MisshapenJson) return undefined
    throw error
  }
}
