import type { Clock } from '../../lib/clock.ts'
import type { Ledger } from '../ledger.ts'
import type { OffsetCheckpoint, Update } from '../update.ts'
import type { Element, Elements } from '../update-service.ts'
import {
  checkpointsFrom,
  checkpointTimes,
  type StreamStep,
  stepCheckpoints,
} from '../visibility/checkpoints.ts'
import { mostAtOnce, readBatch, type Tail, type UpdateBatch } from './tail.ts'
import type { Render } from './views.ts'

/**
 * Rejects if updates after the offset `after` were pruned. `Ledger.updates` leaves pruned updates
 * out, so a stream without this check would skip them silently.
 */
export type CheckRead = (after: number) => Promise<void>

export interface Bounds {
  readonly after: number
  readonly upTo: number
}

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
   * Returns a `render` that caches its results for all readers with the same format and rights. The
   * stream disposes of it when the stream ends.
   */
  readonly sharedRender: () => Disposable & { readonly render: Render }
  readonly ownRender: Render
  readonly checkpointText: (checkpoint: OffsetCheckpoint) => string
  readonly check: CheckRead
}

/**
 * Yields each update after an offset exactly once, first the past ones and then each new one, until
 * the signal aborts. Between them, it yields offset checkpoints, which tell a reader how far the
 * ledger has come. A slow reader delays no other reader.
 */
export async function* follow(after: number, deps: FollowDeps, signal: AbortSignal): Elements {
  const { tail, clock, check, checkpointText } = deps
  using shared = deps.sharedRender()
  using follower = await tail.enter(signal)
  let checkpoints = checkpointsFrom(after)
  let elements: Element[] = []
  const step = (happened: StreamStep) => {
    const { after: state, checkpoint } = stepCheckpoints(checkpoints, happened)
    checkpoints = state
    if (checkpoint !== undefined)
      elements.push({ offset: checkpoint.offset, text: checkpointText(checkpoint) })
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
      if (!batch.isFromMemory) await check(from)
      const render = batch.isFromMemory ? shared.render : deps.ownRender
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
 * Wraps a promise so that it never rejects. Otherwise Node would report an unhandled rejection if a
 * read fails before `taken` awaits it.
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
