import { type Shape, shapeOf } from '../reads/shape.ts'
import type { PlainRead } from './plain-read.ts'

const shapes = new Map<PlainRead, Shape>()

/** Returns the shape of the values that a read answers. It makes the shape of each read only once. */
export function valueShapeOf(row: PlainRead): Shape {
  const shape = shapes.get(row) ?? shapeOf(row.reply)
  shapes.set(row, shape)
  return shape
}
