import type { MirrorContent, MirrorStore } from '../../src/mirror/store.ts'
import { contentOf, overlayOf } from './contents.ts'

/** Each write of this many replaces the set; the others add to the overlay. */
const round = 4

/** Makes one write of an endless sequence, which begins with 1. */
export function write(store: MirrorStore, number: number): Promise<void> {
  return isSet(number) ? store.replace(setOf(number)) : store.overlay(overlayOf(number % 3, number))
}

/** Returns the content after this many writes. */
export function contentAfter(writes: number): MirrorContent | undefined {
  const first = writes - ((writes - 1) % round)
  if (writes === 0) return undefined
  const overlay = Array.from({ length: writes - first }, (_, index) => first + 1 + index)
  return { ...setOf(first), overlay: overlay.map((number) => overlayOf(number % 3, number)) }
}

function isSet(number: number): boolean {
  return number % round === 1
}

function setOf(number: number): MirrorContent {
  return contentOf((number * 379) % 1_300, number)
}
