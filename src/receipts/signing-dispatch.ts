import type { KeyObject } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { type ReceiptJob, type SignedReceipt, trySignReceipt } from './sign-receipt.ts'
import type { SigningQueue } from './signing-queue.ts'

/** The most receipts that the main thread signs in a second. Each takes about 0.1 ms. */
const mostHereASecond = 200
const longestHere = 65_536

/**
 * Makes receipts. Short bodies are signed at once on the main thread, up to a limit in each second,
 * because that thread also answers callers. Another thread signs the rest.
 */
export class SigningDispatch {
  readonly #clock: Pick<Clock, 'now'>
  readonly #queue: Pick<SigningQueue, 'sign'>
  readonly #notMade: () => void
  #second = Number.NEGATIVE_INFINITY
  #madeInSecond = 0

  constructor({
    clock,
    queue,
    notMade = () => {},
  }: {
    readonly clock: Pick<Clock, 'now'>
    readonly queue: Pick<SigningQueue, 'sign'>
    readonly notMade?: () => void
  }) {
    this.#clock = clock
    this.#queue = queue
    this.#notMade = notMade
  }

  /**
   * Returns undefined if too many receipts wait, the other thread failed, or the body has no
   * canonical JSON.
   */
  sign(job: ReceiptJob, key: KeyObject): MaybePromise<SignedReceipt | undefined> {
    const isHere = job.body.length <= longestHere && this.#takeTurn()
    return isHere ? trySignReceipt(job, key) : this.#signElsewhere(job, key)
  }

  async #signElsewhere(job: ReceiptJob, key: KeyObject): Promise<SignedReceipt | undefined> {
    const made = await this.#queue.sign(job, key)
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
