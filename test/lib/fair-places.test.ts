import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loserOfPlace } from '../../src/lib/fair-places.ts'

const places = 12

test('while all places are taken, every client that comes often enough gets an equal share, and no place changes for ever', () => {
  const clients = ['a', 'b', 'c', 'd']
  const comings = fc.array(fc.constantFrom(...clients), { maxLength: 60 })
  fc.assert(
    fc.property(comings, (before) => {
      const holders = new Set<{ readonly client: string }>()
      const come = (client: string): boolean => {
        const loser = holders.size < places ? undefined : loserOfPlace(holders, client)
        if (holders.size === places && loser === undefined) return false
        if (loser !== undefined) holders.delete(loser)
        holders.add({ client })
        return true
      }
      for (const client of before) come(client)
      for (let round = 0; round < places; round++) for (const client of clients) come(client)
      const counts = clients.map((name) => [...holders].filter(({ client }) => client === name).length)
      expect(counts).toEqual([3, 3, 3, 3])
      for (const client of clients) expect(come(client)).toBe(false)
    }),
  )
})

test('the newest holder of the client with most places loses its place', () => {
  const holders = ['a', 'a', 'b', 'a'].map((client, at) => ({ client, at }))
  expect(loserOfPlace(holders, 'c')).toBe(holders[3])
  expect(loserOfPlace(holders, 'b')).toBe(holders[3])
  expect(loserOfPlace(holders, 'a')).toBeUndefined()
  expect(loserOfPlace([], 'a')).toBeUndefined()
})
