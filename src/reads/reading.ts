import type { z } from 'zod'
import { patternOf } from './pattern-of.ts'
import type { Read } from './read.ts'
import { type Findings, misfit, type Shape, shapeOf } from './shape.ts'

/** A body reduced to the fields that its row knows. */
export interface Reading {
  readonly value: unknown
  /** Whether the value has members that the body lacks. */
  readonly filled: boolean
}

const shapes = new WeakMap<z.ZodType, Shape>()

/**
 * Reads a body. Most bodies already equal the value that their row would make, and are returned without a copy.
 * @param body JSON that no other code holds, because the value may share parts of it.
 * @returns undefined if the body does not have the row's shape.
 */
export function readingOf({ reply }: Pick<Read, 'reply'>, body: unknown): Reading | undefined {
  const findings: Findings = { filled: false }
  const value = shapeFor(reply).read(body, findings)
  return value === misfit ? undefined : { value, filled: findings.filled }
}

/**
 * Sorts the members of a value in the order of the row's schema, so that its text does not depend on which node sent
 * it first.
 * @param value a value that the row's schema returned.
 */
export function orderedBy({ reply }: Read, value: unknown): unknown {
  return shapeFor(reply).ordered(value)
}

function shapeFor(schema: z.ZodType): Shape {
  let shape = shapes.get(schema)
  if (shape === undefined) {
    shape = shapeOf(patternOf(schema))
    shapes.set(schema, shape)
  }
  return shape
}
