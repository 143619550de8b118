import { type Shape, shapeOf } from '../reads/shape.ts'
import type { PlainRead } from './plain-read.ts'

const shapes = new Map<PlainRead, Shape>()

/** Returns the shape that a read's values must have. The shape of each read is made once and then reused. */
export function valueShapeOf(row: PlainRead): Shape {
  const shape = shapes.get(row) ?? shapeOf(row.reply)
  shapes.set(row, shape)
  return shape
}
