import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SlowReaders } from '../../src/http/slow-readers.ts'

test('the reader that has waited longest is disconnected when too many characters wait', () => {
  const readers = new SlowReaders(10)
  const gone: string[] = []
  const wait = (name: string, characters: number) => readers.add(characters, () => gone.push(name))
  wait('a', 4)
  const end = wait('b', 4)
  wait('c', 2)
  expect(gone).toEqual([])
  end()
  wait('d', 4)
  expect(gone).toEqual([])
  wait('e', 1)
  expect(gone).toEqual(['a'])
  wait('f', 11)
  expect(gone).toEqual(['a', 'c', 'd', 'e', 'f'])
})

test('whatever readers come and go, no more characters wait than are permitted, and none leaves twice', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ characters: fc.nat(20), ends: fc.nat(5) })), (steps) => {
      const readers = new SlowReaders(30)
      const waiting = new Map<number, number>()
      const ends = steps.map(({ characters, ends: earlier }, index) => {
        waiting.set(index, characters)
        const end = readers.add(characters, () => expect(waiting.delete(index)).toBe(true))
        if (earlier === 0) {
          waiting.delete(index)
          end()
        }
        expect(waiting.values().reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(30)
        return end
      })
      for (const end of ends) end()
      expect(readers.add(30, () => expect.unreachable())).toBeInstanceOf(Function)
    }),
  )
})
