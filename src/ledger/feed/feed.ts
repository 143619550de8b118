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
import type { Render } from './rendering.ts'
import { mostAtOnce, readBatch, type Tail } from './tail.ts'

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
  for (let from = after; from < upTo; ) {
    const batch = await readBatch(ledger, from, upTo)
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
  readonly render: Render
  readonly checkpointText: (checkpoint: OffsetCheckpoint) => string
  readonly check: CheckRead
}

/**
 * Yields each update after an offset exactly once, first the past ones and then each new one, until
 * the signal aborts. Between them, it yields offset checkpoints, which tell a reader how far the
 * ledger has come. A slow reader delays no other reader.
 */
export async function* follow(after: number, deps: FollowDeps, signal: AbortSignal): Elements {
  const { tail, clock, render, check, checkpointText } = deps
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
      const batch = await tail.read(from)
      if (!batch.isFromMemory) await check(from)
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
