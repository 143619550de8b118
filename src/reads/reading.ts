import type { z } from 'zod'
import { patternOf } from './pattern-of.ts'
import type { Read } from './read.ts'
import { type Findings, misfit, type Shape, shapeOf } from './shape.ts'

/** A body after it was reduced to the fields that the schema of its read knows. */
export interface Reading {
  readonly value: unknown
  /** Whether the value has fields that the body lacks, because defaults were filled in. */
  readonly filled: boolean
}

const shapes = new WeakMap<z.ZodType, Shape>()

/**
 * Reduces a body to the fields that the read's schema knows. Most bodies have exactly these fields. The
 * function returns such a body without a copy.
 * @param body parsed JSON that no other code uses, because the returned value may share parts of it.
 * @returns undefined if the body does not fit the schema.
 */
export function readingOf({ reply }: Pick<Read, 'reply'>, body: unknown): Reading | undefined {
  const findings: Findings = { filled: false }
  const value = shapeFor(reply).read(body, findings)
  return value === misfit ? undefined : { value, filled: findings.filled }
}

/**
 * Sorts the fields of a value in the order of the read's schema. The JSON text of the value then does not
 * depend on which scan sent it first.
 * @param value a value that `readingOf` returned, or a value that `Read.normalise` or the rule `Read.agree`
 * made from such values.
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
