import type { Followed } from '../../src/mirror/following.ts'
import { justBefore } from '../../src/mirror/snapshot-grid.ts'
import type { MirrorContent, MirrorStore } from '../../src/mirror/store.ts'
import { contentOf, overlayOf, stepOf, withheldOf } from './contents.ts'

/**
 * The number of writes after which the sequence repeats itself:
 * - The first write replaces the set.
 * - The second and fifth writes add to the overlay.
 * - The third and fourth writes follow updates.
 * - The sixth write stops the set.
 */
const round = 6

/** Makes the write with this number, counted from 1. */
export function write(store: MirrorStore, number: number): Promise<void> {
  if (number % round === 1) return store.replace(setOf(number))
  if (isStop(number)) return store.withhold(setOf(number - round + 1).set.digest, withheldOf(number))
  return isStep(number) ? store.follow(stepAt(number)) : store.overlay(overlayOf(number % 3, number))
}

export function contentAfter(writes: number): MirrorContent | undefined {
  const first = writes - ((writes - 1) % round)
  if (writes === 0) return undefined
  const others = Array.from({ length: writes - first }, (_, index) => first + 1 + index)
  const overlay = others
    .filter((number) => !isStep(number) && !isStop(number))
    .map((number) => overlayOf(number % 3, number))
  const steps = others.filter(isStep).map(stepAt)
  const [begin, last] = [steps[0], steps.at(-1)]
  const followed = begin &&
    last && { ...last, after: begin.after, updates: steps.flatMap(({ updates }) => updates) }
  const set = setOf(first)
  return { ...set, overlay, followed, withheld: isStop(writes) ? withheldOf(writes) : set.withheld }
}

/**
 * Returns the updates that a write follows. The updates begin where the updates of the previous write end, or at the
 * snapshot.
 */
function stepAt(number: number): Followed {
  const before = number - 1
  const after = isStep(before) ? stepAt(before).at : justBefore(setOf(number - 2).set.at)
  return stepOf(number, after)
}

function isStep(number: number): boolean {
  return number % round === 3 || number % round === 4
}

function isStop(number: number): boolean {
  return number % round === 0
}

function setOf(number: number): MirrorContent {
  return contentOf((number * 379) % 1_300, number)
}
