import { expect, test } from 'vitest'
import { BoundedLabel, Counter, Family } from '../../src/base/telemetry/instruments.ts'

test('a family with too many combinations counts the rest together', () => {
  const many = new BoundedLabel(Array.from({ length: 100 }, (_, index) => String(index)))
  const family = new Family({ a: many, b: many }, () => new Counter(), 10)
  for (const a of many) family.with({ a, b: '1' }).inc()
  const children = [...family.children]
  expect(children).toHaveLength(11)
  expect(children.at(-1)).toMatchObject({ labels: { a: 'other', b: 'other' }, cell: { value: 90 } })
})
