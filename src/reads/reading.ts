import type { z } from 'zod'
import type { Read } from './read.ts'
import { type Findings, misfit, type Shape, shapeOf } from './shape.ts'

/** What a body says of the fields that its row knows. */
export interface Reading {
  readonly value: unknown
  /** Whether the body left out members that the value has. */
  readonly filled: boolean
}

const shapes = new WeakMap<z.ZodType, Shape>()

/**
 * Most bodies are what their row would make of them, and are taken as they are.
 * @param body JSON that nobody else has: the value may be a part of it.
 * @returns undefined where it has not the row's shape.
 */
export function readingOf({ reply }: Pick<Read, 'reply'>, body: unknown): Reading | undefined {
  const findings: Findings = { filled: false }
  const value = shapeFor(reply).read(body, findings)
  return value === misfit ? undefined : { value, filled: findings.filled }
}

/**
 * A value with its members in the order of the row's schema: one value has one text, whoever printed it first.
 * @param value one that the row's schema gives.
 */
export function orderedBy({ reply }: Read, value: unknown): unknown {
  return shapeFor(reply).ordered(value)
}

function shapeFor(schema: z.ZodType): Shape {
  let shape = shapes.get(schema)
  if (shape === undefined) {
    shape = shapeOf(schema)
    shapes.set(schema, shape)
  }
  return shape
}
