import { expect, test } from 'vitest'
import { type FloorId, FloorTable, isFloorKey } from '../../src/core/guard/floors.ts'
import { ManualClock } from '../support/manual-clock.ts'

const id = (text: string, isOfUnboundedRead = false): FloorId => ({ text, isOfUnboundedRead })
const floor = (version: string) => ({ version, endsAt: undefined })

test('a key tells questions apart, differs from table to table and does not contain the question', () => {
  const clock = new ManualClock()
  const table = FloorTable.inMemory({ clock })
  const keys = ['alice', 'bob'].flatMap((name) => table.keysOf(id(name)))
  const others = FloorTable.inMemory({ clock }).keysOf(id('alice'))
  expect(new Set([...keys, ...others]).size).toBe(3)
  expect(keys.every(isFloorKey)).toBe(true)
  expect(keys.join()).not.toContain('alice')
})

test('the questions that callers make up cannot evict the floors of others', () => {
  const table = new FloorTable(Buffer.alloc(32), { clock: new ManualClock() }, 8)
  table.raise(id('alice'), floor('1'))
  for (let cursor = 0; cursor < 100; cursor++) table.raise(id(`page ${cursor}`, true), floor('1'))
  expect(table.find(id('alice'))).toEqual(floor('1'))
  expect(table.size).toBe(3)
})

test('the floors that were not used for longest go first', () => {
  const table = new FloorTable(Buffer.alloc(32), { clock: new ManualClock() }, 4)
  for (const name of ['a', 'b', 'c']) table.raise(id(name), floor('1'))
  table.find(id('a'))
  table.raise(id('d'), floor('1'))
  expect(['a', 'b', 'c', 'd'].map((name) => table.find(id(name)) !== undefined)).toEqual([
    true,
    false,
    true,
    true,
  ])
})
