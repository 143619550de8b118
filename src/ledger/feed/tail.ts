import type { Clock } from '../../lib/clock.ts'
import { firstIndex } from '../../lib/first-index.ts'
import type { Ledger } from '../ledger.ts'
import type { OffsetCheckpoint, Update } from '../update.ts'
import { checkpointTimes } from '../visibility/checkpoints.ts'

export type FeedLedger = Pick<Ledger, 'end' | 'checkpoint' | 'updates' | 'subscribe' | 'watch'>

export interface TailDeps {
  readonly ledger: FeedLedger
  readonly clock: Clock
}

export type Woken = 'updates' | 'time' | 'aborted'

/** Consecutive updates of a ledger. */
export interface UpdateBatch {
  readonly updates: readonly Update[]
  /**
   * The batch ends at this offset: it has every update up to here that is not pruned. The last update of the
   * batch can have a lower offset.
   */
  readonly upTo: number
  /** True if the updates come from the memory of the `Tail`. All readers then get the same objects. */
  readonly shared: boolean
}

/** The number of latest updates that the `Tail` keeps in memory. */
const keptUpdates = 512
/** The maximum number of updates in a batch. */
export const mostAtOnce = 500

/** One reader of the `Tail`. Disposing of the object removes the reader. */
export interface Follower extends Disposable {
  /**
   * Resolves as soon as one of these happens: the ledger has updates after `after`, `Clock.now()` reaches
   * `until`, the signal of the reader aborts, or the `Tail` is disposed of.
   */
  wait(after: number, until: number): Promise<Woken>
}

/**
 * Keeps the latest updates of a ledger in memory for all readers that follow it. All readers share one
 * subscription, so the ledger's thread sends each update to the main thread only once. While there are no
 * readers, there is no subscription. A reader that needs older updates reads them from the ledger.
 */
export class Tail implements Disposable {
  readonly #deps: TailDeps
  readonly #kept: Update[] = []
  #handed: { readonly after: number; readonly batch: UpdateBatch | undefined } | undefined
  readonly #followers = new Set<TailFollower>()
  /** The read of the ledger's end, under way or done. Undefined if the last attempt failed. */
  #started: Promise<void> | undefined
  readonly #unwatch: () => void
  #unsubscribe: () => void = () => {}
  #end = 0
  #checkpoint: OffsetCheckpoint | undefined
  #stopLookingUp: () => void = () => {}
  /**
   * All waiting readers share one timer. It fires at this time, the earliest `until` of all waits. Infinite
   * if no reader waits.
   */
  #alarmAt = Number.POSITIVE_INFINITY
  #stopAlarm: () => void = () => {}
  #isOver = false

  constructor(deps: TailDeps) {
    this.#deps = deps
    // The constructor watches before it reads the end. Otherwise it would miss a commit between the read and
    // the call of `watch`.
    this.#unwatch = deps.ledger.watch((_, offset) => this.#reached(offset))
    this.#start().catch(() => {})
  }

  /**
   * Waits until a read of the ledger's end has succeeded, and returns the offset of the last known update. If
   * the previous read of the end failed, this call reads the end again, and rejects with `LedgerUnavailable`
   * if that fails too.
   */
  async end(): Promise<number> {
    await (this.#started ?? this.#start())
    return this.#end
  }

  /**
   * The ledger's checkpoint as it was last read. Undefined while there are no readers, and until the first
   * reader's `enter` resolves.
   */
  get checkpoint(): OffsetCheckpoint | undefined {
    return this.#checkpoint
  }

  get readers(): number {
    return this.#followers.size
  }

  /**
   * Adds a reader. Resolves once the ledger's checkpoint is known. If the `Tail` was disposed of, each `wait`
   * of the new reader resolves with `aborted`.
   */
  async enter(signal: AbortSignal): Promise<Follower> {
    if (this.#followers.size === 0 && !this.#isOver)
      this.#unsubscribe = this.#deps.ledger.subscribe((update) => this.#keep(update))
    const follower = new TailFollower(signal, {
      end: () => this.#end,
      isOver: () => this.#isOver,
      wakeBy: (until) => this.#wakeBy(until),
      left: () => this.#left(follower),
    })
    this.#followers.add(follower)
    try {
      if (this.#checkpoint === undefined && !this.#isOver) await this.#lookUp()
    } catch (error) {
      follower[Symbol.dispose]()
      throw error
    }
    return follower
  }

  /**
   * Returns the next updates after an offset from memory. Undefined if there are none, or if the update right
   * after the offset is not in memory. Readers at the same offset get the same batch.
   */
  kept(after: number): UpdateBatch | undefined {
    if (this.#handed?.after !== after) this.#handed = { after, batch: this.#keptAfter(after) }
    return this.#handed.batch
  }

  /**
   * Reads the next updates after an offset from the ledger. Call this method only if the ledger has updates
   * after that offset.
   */
  async read(after: number): Promise<UpdateBatch> {
    return readBatch(this.#deps.ledger, after, await this.end())
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    this.#unwatch()
    this.#unsubscribe()
    this.#stopLookingUp()
    this.#stopAlarm()
    for (const follower of this.#followers) follower.wake('aborted')
  }

  /** Reads the ledger's end. If the read fails, the next call of `end` starts a new one. */
  #start(): Promise<void> {
    const started = this.#deps.ledger.end().then(
      (end) => this.#reached(end),
      (error: unknown) => {
        this.#started = undefined
        throw error
      },
    )
    this.#started = started
    return started
  }

  #left(follower: TailFollower): void {
    if (!this.#followers.delete(follower) || this.#followers.size > 0) return
    this.#unsubscribe()
    this.#stopLookingUp()
    this.#stopAlarm()
    this.#alarmAt = Number.POSITIVE_INFINITY
    this.#checkpoint = undefined
    this.#kept.length = 0
    this.#handed = undefined
  }

  #wakeBy(until: number): void {
    if (until >= this.#alarmAt) return
    const { clock } = this.#deps
    this.#stopAlarm()
    this.#alarmAt = until
    this.#stopAlarm = clock.after(Math.max(0, until - clock.now()), () => {
      this.#alarmAt = Number.POSITIVE_INFINITY
      const now = clock.now()
      for (const follower of this.#followers)
        if (follower.until <= now) follower.wake('time')
        else this.#wakeBy(follower.until)
    })
  }

  #keep(update: Update): void {
    const last = this.#kept.at(-1)
    // If a reader enters soon after the last one has left, updates of the old subscription may still arrive.
    // The new subscription may begin some updates later. The updates before such a gap are dropped.
    if (last !== undefined && last.offset + 1 !== update.offset) this.#kept.length = 0
    this.#kept.push(update)
    this.#handed = undefined
    if (this.#kept.length > keptUpdates) this.#kept.shift()
  }

  #reached(offset: number): void {
    this.#end = Math.max(this.#end, offset)
    for (const follower of this.#followers) follower.wake('updates')
  }

  /**
   * Returns the updates in memory that follow an offset, at most `mostAtOnce`. Undefined if there are none,
   * or if the update right after the offset is not in memory.
   */
  #keptAfter(after: number): UpdateBatch | undefined {
    const kept = this.#kept
    const [first] = kept
    if (first === undefined || after < first.offset - 1) return undefined
    const low = firstIndex(kept.length, (index) => (kept[index] as Update).offset > after)
    const updates = kept.slice(low, low + mostAtOnce)
    const last = updates.at(-1)
    return last === undefined ? undefined : { updates, upTo: last.offset, shared: true }
  }

  /**
   * Reads the ledger's checkpoint now, and again every `checkpointTimes.lookUpMs` while there are readers.
   */
  async #lookUp(): Promise<void> {
    try {
      const checkpoint = await this.#deps.ledger.checkpoint()
      if (this.#followers.size > 0) this.#checkpoint = checkpoint
    } finally {
      this.#stopLookingUp()
      if (this.#followers.size > 0 && !this.#isOver) {
        // If a later read of the checkpoint fails, the error is ignored, because the read after it may
        // succeed. Readers notice the fault when their own reads fail.
        const again = () => void this.#lookUp().catch(() => {})
        this.#stopLookingUp = this.#deps.clock.after(checkpointTimes.lookUpMs, again)
      }
    }
  }
}

interface Followed {
  end(): number
  isOver(): boolean
  /** Makes sure that the shared timer fires at `until` or earlier. */
  wakeBy(until: number): void
  left(): void
}

class TailFollower implements Follower {
  /**
   * The time (`Clock.now()`) at which the present wait times out. Infinite while the reader does not wait.
   */
  until = Number.POSITIVE_INFINITY
  readonly #signal: AbortSignal
  readonly #tail: Followed
  readonly #abort = () => this.wake('aborted')
  #resolve: ((woken: Woken) => void) | undefined

  constructor(signal: AbortSignal, tail: Followed) {
    this.#signal = signal
    this.#tail = tail
    signal.addEventListener('abort', this.#abort)
  }

  wait(after: number, until: number): Promise<Woken> {
    if (this.#signal.aborted || this.#tail.isOver()) return Promise.resolve('aborted')
    if (this.#tail.end() > after) return Promise.resolve('updates')
    return new Promise((resolve) => {
      this.#resolve = resolve
      this.until = until
      this.#tail.wakeBy(until)
    })
  }

  wake(woken: Woken): void {
    this.until = Number.POSITIVE_INFINITY
    this.#resolve?.(woken)
    this.#resolve = undefined
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener('abort', this.#abort)
    this.#tail.left()
  }
}

/**
 * Reads the next updates after the offset `after` from the ledger, up to and including `upTo`: at most
 * `mostAtOnce`.
 */
export async function readBatch(
  ledger: Pick<Ledger, 'updates'>,
  after: number,
  upTo: number,
): Promise<UpdateBatch> {
  const updates = await ledger.updates(after, upTo, mostAtOnce)
  const isAll = updates.length < mostAtOnce
  return { updates, upTo: isAll ? upTo : (updates.at(-1)?.offset ?? upTo), shared: false }
}
