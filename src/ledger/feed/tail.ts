import type { Clock } from '../../lib/clock.ts'
import { firstIndex } from '../../lib/first-index.ts'
import { InPortions } from '../../lib/in-portions.ts'
import type { Ledger } from '../ledger.ts'
import type { OffsetCheckpoint, Update } from '../update.ts'
import { checkpointTimes } from '../visibility/checkpoints.ts'

export type FeedLedger = Pick<Ledger, 'end' | 'checkpoint' | 'updates' | 'subscribe' | 'watch'>

export interface TailDeps {
  readonly ledger: FeedLedger
  readonly clock: Clock
}

export type Woken = 'updates' | 'time' | 'aborted'

export interface UpdateBatch {
  readonly updates: readonly Update[]
  /**
   * The batch is complete up to this offset; only pruned updates are missing. The last update of
   * the batch can have a lower offset.
   */
  readonly upTo: number
  readonly isFromMemory: boolean
}

const keptUpdates = 512
export const mostAtOnce = 20

export interface Follower extends Disposable {
  /**
   * Resolves when the ledger has updates after `after`, when `Clock.now()` reaches `until`, or when
   * the reader's signal aborts.
   */
  wait(after: number, until: number): Promise<Woken>
}

/** Keeps the latest updates of a ledger in memory for all readers that follow it. */
export class Tail implements Disposable {
  readonly #deps: TailDeps
  readonly #latest: Update[] = []
  readonly #followers = new Set<TailFollower>()
  readonly #turns = new InPortions()
  #started: Promise<void> | undefined
  readonly #unwatch: () => void
  #unsubscribe: () => void = () => {}
  #end = 0
  #checkpoint: OffsetCheckpoint | undefined
  #stopLookingUp: () => void = () => {}
  #alarmAt = Number.POSITIVE_INFINITY
  #stopAlarm: () => void = () => {}
  #isOver = false

  constructor(deps: TailDeps) {
    this.#deps = deps
    // The watch begins before the end is read. Otherwise a commit between the two would be missed.
    this.#unwatch = deps.ledger.watch((_, offset) => this.#reached(offset))
    this.#start().catch(() => {})
  }

  /**
   * Returns the offset of the ledger's last update. The ledger is asked once; later, each commit
   * tells its offset. If the ledger could not answer, the next call asks again.
   * @throws LedgerUnavailable if the ledger could not answer.
   */
  async end(): Promise<number> {
    await (this.#started ?? this.#start())
    return this.#end
  }

  get checkpoint(): OffsetCheckpoint | undefined {
    return this.#checkpoint
  }

  get readers(): number {
    return this.#followers.size
  }

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
   * Call this method only if the ledger has updates after `after`. Otherwise the batch's `upTo`
   * could be lower than `after`. A commit wakes all followers at once, so they read in turn, a
   * portion of them in each turn of the event loop.
   */
  async read(after: number): Promise<UpdateBatch> {
    await new Promise<void>((resolve) => this.#turns.add([resolve]))
    return this.#kept(after) ?? readBatch(this.#deps.ledger, after, await this.end())
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    this.#unwatch()
    this.#unsubscribe()
    this.#stopLookingUp()
    this.#stopAlarm()
    for (const follower of this.#followers) follower.wake('aborted')
  }

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
    this.#latest.length = 0
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
    this.#latest.push(update)
    if (this.#latest.length > keptUpdates) this.#latest.shift()
  }

  #reached(offset: number): void {
    this.#end = Math.max(this.#end, offset)
    for (const follower of this.#followers) follower.wake('updates')
  }

  #kept(after: number): UpdateBatch | undefined {
    const latest = this.#latest
    const [first] = latest
    if (first === undefined || after < first.offset - 1) return undefined
    const low = firstIndex(latest.length, (index) => (latest[index] as Update).offset > after)
    const updates = latest.slice(low, low + mostAtOnce)
    const last = updates.at(-1)
    return last === undefined ? undefined : { updates, upTo: last.offset, isFromMemory: true }
  }

  async #lookUp(): Promise<void> {
    try {
      const checkpoint = await this.#deps.ledger.checkpoint()
      if (this.#followers.size > 0) this.#checkpoint = checkpoint
    } finally {
      this.#stopLookingUp()
      if (this.#followers.size > 0 && !this.#isOver) {
        // The error is ignored, because the next read may succeed. Readers notice a fault of the
        // ledger when their own reads fail.
        const again = () => void this.#lookUp().catch(() => {})
        this.#stopLookingUp = this.#deps.clock.after(checkpointTimes.lookUpMs, again)
      }
    }
  }
}

interface Followed {
  end(): number
  isOver(): boolean
  wakeBy(until: number): void
  left(): void
}

class TailFollower implements Follower {
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

export async function readBatch(
  ledger: Pick<Ledger, 'updates'>,
  after: number,
  upTo: number,
): Promise<UpdateBatch> {
  const updates = await ledger.updates(after, upTo, mostAtOnce)
  const isAll = updates.length < mostAtOnce
  return { updates, upTo: isAll ? upTo : (updates.at(-1)?.offset ?? upTo), isFromMemory: false }
}
