import { type Shape, shapeOf } from '../reads/shape.ts'
import type { PlainRead } from './plain-read.ts'

const shapes = new Map<PlainRead, Shape>()

export function valueShapeOf(row: PlainRead): Shape {
  const shape = shapes.get(row) ?? shapeOf(row.reply)
  shapes.set(row, shape)
  return shape
}
