import { type Filled, filledBy } from './filled.ts'
import type { Read } from './read.ts'
import { type Unchanged, unchangedBy } from './unchanged.ts'

/** What a body says of the fields that its row knows. */
export interface Reading {
  readonly value: unknown
  /** Whether the body left out members that the value has. */
  readonly filled: boolean
}

interface Means {
  readonly unchanged: Unchanged
  readonly filled: Filled | undefined
}

const meansByRead = new WeakMap<Read, Means>()

/**
 * Most bodies are what their row would make of them, and are taken as they are.
 * @param body JSON that nobody else has: the value may be a part of it.
 * @returns undefined where it has not the row's shape.
 */
export function readingOf(read: Read, body: unknown): Reading | undefined {
  const { unchanged, filled } = meansOf(read)
  if (unchanged(body)) return { value: body, filled: false }
  const { success, data } = read.reply.safeParse(body)
  return success ? { value: data, filled: filled?.(body, data) === true } : undefined
}

function meansOf(read: Read): Means {
  let means = meansByRead.get(read)
  if (means === undefined) {
    means = { unchanged: unchangedBy(read.reply), filled: filledBy(read.reply) }
    meansByRead.set(read, means)
  }
  return means
}
