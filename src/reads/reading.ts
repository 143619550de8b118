import type { Read } from './read.ts'
import { type Findings, misfit, type Shape, shapeOf } from './shape.ts'

/** What a body says of the fields that its row knows. */
export interface Reading {
  readonly value: unknown
  /** Whether the body left out members that the value has. */
  readonly filled: boolean
}

const shapes = new WeakMap<Read, Shape>()

/**
 * Most bodies are what their row would make of them, and are taken as they are.
 * @param body JSON that nobody else has: the value may be a part of it.
 * @returns undefined where it has not the row's shape.
 */
export function readingOf(read: Read, body: unknown): Reading | undefined {
  const findings: Findings = { filled: false }
  const value = shapeOfRow(read).read(body, findings)
  return value === misfit ? undefined : { value, filled: findings.filled }
}

/**
 * A value with its members in the order of the row's schema: one value has one text, whoever printed it first.
 * @param value one that the row's schema gives.
 */
export function orderedBy(read: Read, value: unknown): unknown {
  return shapeOfRow(read).ordered(value)
}

function shapeOfRow(read: Read): Shape {
  let shape = shapes.get(read)
  if (shape === undefined) {
    shape = shapeOf(read.reply)
    shapes.set(read, shape)
  }
  return shape
}
