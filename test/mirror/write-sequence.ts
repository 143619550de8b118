import type { Followed } from '../../src/mirror/following.ts'
import { justBefore } from '../../src/mirror/grid.ts'
import type { MirrorContent, MirrorStore } from '../../src/mirror/store.ts'
import { contentOf, overlayOf, stepOf } from './contents.ts'

/** Of this many writes the first one replaces the set, the third and fourth ones follow updates, and the others add to the overlay. */
const round = 5

/** Makes one write of an endless sequence, which begins with 1. */
export function write(store: MirrorStore, number: number): Promise<void> {
  if (number % round === 1) return store.replace(setOf(number))
  return isStep(number) ? store.follow(stepAt(number)) : store.overlay(overlayOf(number % 3, number))
}

/** Returns the content after this many writes. */
export function contentAfter(writes: number): MirrorContent | undefined {
  const first = writes - ((writes - 1) % round)
  if (writes === 0) return undefined
  const others = Array.from({ length: writes - first }, (_, index) => first + 1 + index)
  const overlay = others.filter((number) => !isStep(number)).map((number) => overlayOf(number % 3, number))
  const steps = others.filter(isStep).map(stepAt)
  const [begin, last] = [steps[0], steps.at(-1)]
  const followed = begin &&
    last && { ...last, after: begin.after, updates: steps.flatMap(({ updates }) => updates) }
  return { ...setOf(first), overlay, followed }
}

/** The step of a write, which begins where the step or the set before it ends. */
function stepAt(number: number): Followed {
  const before = number - 1
  const after = isStep(before) ? stepAt(before).at : justBefore(setOf(number - 2).set.at)
  return stepOf(number, after)
}

function isStep(number: number): boolean {
  return number % round === 3 || number % round === 4
}

function setOf(number: number): MirrorContent {
  return contentOf((number * 379) % 1_300, number)
}
