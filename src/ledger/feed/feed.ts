import type { Clock } from '../../lib/clock.ts'
import type { Ledger } from '../ledger.ts'
import type { Update } from '../update.ts'
import type { Element, Elements } from '../update-service.ts'
import {
  checkpointsFrom,
  checkpointTimes,
  type StreamStep,
  stepCheckpoints,
} from '../visibility/checkpoints.ts'
import { updateText } from '../wire/responses.ts'
import { mostAtOnce, readBatch, type Tail, type UpdateBatch } from './tail.ts'
import type { Render } from './views.ts'

/**
 * A check that runs after each read of updates. `after` is the offset after which the read began. The check
 * rejects if updates after that offset were pruned. Without this check, a stream would skip pruned updates
 * without an error, because `Ledger.updates` leaves them out.
 */
export type CheckRead = (after: number) => Promise<void>

export interface Bounds {
  readonly after: number
  readonly upTo: number
}

/**
 * Yields elements for the updates after `after`, up to and including `upTo`, in order. It reads the next
 * batch from the ledger while the consumer uses the previous one.
 */
export async function* ascending(
  { after, upTo }: Bounds,
  { ledger, render, check }: BoundedDeps,
): AsyncGenerator<readonly Element[]> {
  const read = (from: number) => settled(from < upTo ? readBatch(ledger, from, upTo) : undefined)
  let next = read(after)
  for (let from = after; from < upTo; ) {
    const batch = await taken(next)
    if (batch === undefined) return
    next = read(batch.upTo)
    await check(from)
    from = batch.upTo
    const elements = rendered(batch.updates, render)
    if (elements.length > 0) yield elements
  }
}

/**
 * Yields the elements of `ascending` in the opposite order, from the last update to the first. It reads each
 * batch from the ledger only when the consumer asks for more elements.
 */
export async function* descending(
  { after, upTo }: Bounds,
  { ledger, render, check }: BoundedDeps,
): AsyncGenerator<readonly Element[]> {
  for (let to = upTo; to > after; ) {
    const from = Math.max(after, to - mostAtOnce)
    const updates = await ledger.updates(from, to, mostAtOnce)
    await check(from)
    const elements = rendered(updates.toReversed(), render)
    if (elements.length > 0) yield elements
    to = from
  }
}

export interface BoundedDeps {
  readonly ledger: Pick<Ledger, 'updates'>
  readonly render: Render
  readonly check: CheckRead
}

export interface FollowDeps {
  readonly tail: Tail
  readonly clock: Clock
  /**
   * Returns an object whose `render` caches its results: readers with the same format and rights get the same
   * element for an update. The stream uses it for the updates of batches with `shared: true`, and disposes of
   * it when the stream ends.
   */
  readonly share: () => Disposable & { readonly render: Render }
  /** Renders an update that was read from the ledger for this reader alone. */
  readonly own: Render
  readonly check: CheckRead
}

/**
 * Yields elements for all updates after an offset: first for the past ones, then for each new one, until the
 * signal aborts. Also yields checkpoints of the ledger between the updates. No update is missing or repeated.
 * Recent updates come from the `Tail`. All others are read from the ledger, for example if a slow reader
 * needs updates that the `Tail` has dropped. A slow reader delays no other reader.
 */
export async function* follow(after: number, deps: FollowDeps, signal: AbortSignal): Elements {
  const { tail, clock, check } = deps
  using shared = deps.share()
  using follower = await tail.enter(signal)
  let checkpoints = checkpointsFrom(after)
  let elements: Element[] = []
  const step = (happened: StreamStep) => {
    const { after: state, checkpoint } = stepCheckpoints(checkpoints, happened)
    checkpoints = state
    if (checkpoint !== undefined) elements.push({ offset: checkpoint.offset, text: updateText(checkpoint) })
  }
  let from = after
  let startAt = clock.now() + checkpointTimes.startMs
  let idleAt = clock.now() + checkpointTimes.idleMs
  while (!signal.aborted) {
    const woken = await follower.wait(from, Math.min(startAt, idleAt))
    if (woken === 'aborted') return
    if (woken === 'time') {
      step({ kind: 'idle', latest: tail.checkpoint })
      startAt = Number.POSITIVE_INFINITY
      idleAt = clock.now() + checkpointTimes.idleMs
    } else {
      const batch: UpdateBatch = tail.kept(from) ?? (await tail.read(from))
      if (!batch.shared) await check(from)
      const render = batch.shared ? shared.render : deps.own
      step({ kind: 'range-begins', after: from, latest: tail.checkpoint })
      for (const update of batch.updates) {
        const element = render(update)
        if (element === undefined) continue
        step({ kind: 'update', offset: update.offset })
        elements.push(element)
      }
      step({ kind: 'range-ends', upTo: batch.upTo })
      from = batch.upTo
    }
    if (elements.length === 0) continue
    yield elements
    elements = []
    idleAt = clock.now() + checkpointTimes.idleMs
  }
}

function rendered(updates: readonly Update[], render: Render): readonly Element[] {
  const elements: Element[] = []
  for (const update of updates) {
    const element = render(update)
    if (element !== undefined) elements.push(element)
  }
  return elements
}

export type Settled<T> = Promise<{ readonly value: T } | { readonly error: unknown }>

/**
 * Converts a promise to one that never rejects. `taken` returns the value of the promise, or throws its
 * error. Without this conversion, Node would report an unhandled rejection if a read fails before it is
 * awaited.
 */
export function settled<T>(promise: Promise<T> | undefined): Settled<T | undefined> {
  return Promise.resolve(promise).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
}

export async function taken<T>(promise: Settled<T>): Promise<T> {
  const outcome = await promise
  if ('error' in outcome) throw outcome.error
  return outcome.value
}
