import type { z } from 'zod'
import { patternOf } from './pattern-of.ts'
import type { Forms, Read } from './read.ts'
import { type Findings, misfit, type Shape, shapeOf } from './shape.ts'

export interface Reading {
  readonly value: unknown
  /** Whether defaults were filled in for fields that the body lacks. */
  readonly filled: boolean
}

const shapes = new WeakMap<z.ZodType, Shape>()

/**
 * Reduces a scan's body to the fields that the read's schema, or that of its forms, knows. A body
 * with exactly these fields is not copied.
 * @param body parsed JSON that no other code uses, because the returned value may share parts of
 * it.
 * @returns undefined if the body does not fit the schema.
 */
export function readingOf(
  { reply, forms }: { readonly reply: z.ZodType; readonly forms?: Forms | undefined },
  body: unknown,
): Reading | undefined {
  const findings: Findings = { filled: false }
  const value = shapeFor(forms?.reply ?? reply).read(body, findings)
  return value === misfit ? undefined : { value, filled: findings.filled }
}

/**
 * Sorts the fields of a value by the read's schema, so that its JSON text does not depend on which
 * scan sent it first.
 * @param value a value made from results of `readingOf`.
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
