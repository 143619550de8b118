import type { Clock } from '../../../base/lib/clock.ts'
import type { EmbeddedLedger } from '../embedded/embedded-ledger.ts'
import type { OffsetCheckpoint } from '../update.ts'
import type { Element, PrintUpdate } from './print.ts'

/**
 * Non-empty batches of elements. A reader that stops early must abort the request's signal:
 * otherwise a stream that waits for an update keeps waiting. A `CantonError` may follow the first
 * batches, for example because the token has expired.
 */
export type Elements = AsyncIterable<readonly Element[]>

/** The offset `upTo` is included. */
export interface Bounds {
  readonly after: number
  readonly upTo: number
}

const mostAtOnce = 20

/** Reads the updates within the bounds, from the last to the first if `descends`. */
export async function* batches(
  { after, upTo }: Bounds,
  descends: boolean,
  ledger: Pick<EmbeddedLedger, 'updates'>,
  print: PrintUpdate,
): AsyncGenerator<readonly Element[]> {
  for (let done = 0; done < upTo - after; done += mostAtOnce) {
    const count = Math.min(mostAtOnce, upTo - after - done)
    const from = descends ? upTo - done - count : after + done
    const updates = await ledger.updates(from, from + count, count)
    const elements = (descends ? updates.toReversed() : updates).flatMap((update) => print(update) ?? [])
    if (elements.length > 0) yield elements
  }
}

/** The times of checkpoints in milliseconds, as in Canton (IndexServiceConfig.scala). */
const checkpointTimes = { startMs: 500, idleMs: 60_000 }

export interface FollowDeps {
  readonly print: PrintUpdate
  readonly checkpoint: (checkpoint: OffsetCheckpoint) => Element
}

/** The readers that follow a ledger from its past updates to those that come. */
export class Followers implements Disposable {
  readonly #ledger: Pick<EmbeddedLedger, 'checkpoint' | 'updates' | 'watch'>
  readonly #clock: Clock
  readonly #life = new AbortController()
  #count = 0

  constructor(ledger: Pick<EmbeddedLedger, 'checkpoint' | 'updates' | 'watch'>, clock: Clock) {
    this.#ledger = ledger
    this.#clock = clock
  }

  get count(): number {
    return this.#count
  }

  /**
   * Yields each update after an offset exactly once, until the signal aborts. Offset checkpoints
   * tell a reader how far the ledger has come: one half a second after the start or at the end of the
   * past updates, and then one a minute while the ledger goes on.
   */
  async *follow(after: number, deps: FollowDeps, left: AbortSignal): Elements {
    const signal = AbortSignal.any([left, this.#life.signal])
    this.#count++
    try {
      let from = after
      let told: number | undefined
      let dueAt = this.#clock.now() + checkpointTimes.startMs
      while (!signal.aborted) {
        const latest = await this.#ledger.checkpoint()
        if (latest.offset > from) {
          if (told === undefined) dueAt = this.#clock.now()
          const upTo = Math.min(latest.offset, from + mostAtOnce)
          yield* batches({ after: from, upTo }, false, this.#ledger, deps.print)
          from = upTo
        } else if (this.#clock.now() < dueAt) await this.#next(dueAt, signal)
        else {
          if (from !== told && from === latest.offset) yield [deps.checkpoint(latest)]
          told = from
          dueAt = this.#clock.now() + checkpointTimes.idleMs
        }
      }
    } finally {
      this.#count--
    }
  }

  [Symbol.dispose](): void {
    this.#life.abort()
  }

  /** Resolves at the next commit, at the time `until`, or when the reader leaves. */
  #next(until: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const wake = () => {
        unwatch()
        signal.removeEventListener('abort', wake)
        cancel()
        resolve()
      }
      const cancel = this.#clock.after(Math.max(0, until - this.#clock.now()), wake)
      const unwatch = this.#ledger.watch(wake)
      signal.addEventListener('abort', wake)
    })
  }
}
