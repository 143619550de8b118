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
import { mostAtOnce, readStretch, type Stretch, type Tail } from './tail.ts'
import type { Render } from './views.ts'

/** Called with the offset from which on was read, when it was: throws where that is not all there was. */
export type CheckRead = (after: number) => Promise<void>

export interface Bounds {
  readonly after: number
  readonly upTo: number
}

/** What a reader gets of the updates above `after`, up to `upTo`, in order. The next are read while some are used. */
export async function* ascending(
  { after, upTo }: Bounds,
  { ledger, render, check }: BoundedDeps,
): AsyncGenerator<readonly Element[]> {
  const read = (from: number) => settled(from < upTo ? readStretch(ledger, from, upTo) : undefined)
  let next = read(after)
  for (let from = after; from < upTo; ) {
    const stretch = await taken(next)
    if (stretch === undefined) return
    next = read(stretch.upTo)
    await check(from)
    from = stretch.upTo
    const elements = rendered(stretch.updates, render)
    if (elements.length > 0) yield elements
  }
}

/** The same from the last to the first. */
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
  /** Of updates that other readers get too; kept for as long as it is read. */
  readonly share: () => Disposable & { readonly render: Render }
  /** Of updates that are read for this reader alone. */
  readonly own: Render
  readonly check: CheckRead
}

/**
 * What a reader gets of the updates above an offset, from those of old to those to come, and the ledger's checkpoints
 * between them, until the signal aborts. Each step begins where the last one ended, whether it was read from the
 * ledger or kept by the tail: there is no gap and no repeat where the one becomes the other. It holds what it handed
 * out last: who does not take that keeps the tail from nothing, and later reads on from the ledger.
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
      const stretch: Stretch = tail.kept(from) ?? (await tail.read(from))
      if (!stretch.shared) await check(from)
      const render = stretch.shared ? shared.render : deps.own
      step({ kind: 'range-begins', after: from, latest: tail.checkpoint })
      for (const update of stretch.updates) {
        const element = render(update)
        if (element === undefined) continue
        step({ kind: 'update', offset: update.offset })
        elements.push(element)
      }
      step({ kind: 'range-ends', upTo: stretch.upTo })
      from = stretch.upTo
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

/** What is read ahead may fail when nobody waits for it. */
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
