import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { growTree } from '../../src/receipts/grow-tree.ts'
import type { NameTree } from '../../src/receipts/name-tree.ts'
import { leafOf, pathOf, type TestEntry, testEntry, treeHash } from '../support/set-signer.ts'

const at = Date.parse('2026-01-01T00:00:00Z')

/** Builds a tree without the pauses that the daemon makes between the steps. */
function treeOf(entries: readonly TestEntry[]): NameTree {
  const steps = growTree({ entries, at })
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value as NameTree
  }
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
const anyName = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('a', '.', '\u{10ffff}', '\uffff') }),
  )
  .filter((name) => name !== '' && name.isWellFormed() && !/^dso\.[^.]+$|\.sv\.[^.]+$/.test(name))

test('the root and all paths are as RFC 6962 defines them, for any names in the order of their UTF-8', () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyName, { maxLength: 70 }), (names) => {
      const tree = treeOf(names.map((name) => testEntry(name)))
      const leaves = names.toSorted(byBytes).map((name) => leafOf(testEntry(name)))
      expect(tree.size).toBe(names.length)
      expect(tree.root).toBe(treeHash(leaves).toString('base64url'))
      for (const [index, name] of names.toSorted(byBytes).entries()) {
        const path = Buffer.concat([...pathOf(index, leaves)])
        expect(tree.inclusion(name)).toEqual({ index, text: leaves[index], path })
        expect(tree.exclusion(name)).toBeUndefined()
      }
    }),
  )
})

test('trees of all sizes up to 70, and some large ones, have the root of RFC 6962', () => {
  for (const size of [...Array.from({ length: 71 }, (_, number) => number), 1_000, 1_024, 4_097]) {
    const entries = Array.from({ length: size }, (_, index) => testEntry(`n-${index}`))
    const leaves = entries.map(leafOf).toSorted((a, b) => byBytes(JSON.parse(a).name, JSON.parse(b).name))
    expect(treeOf(entries.toReversed()).root).toBe(treeHash(leaves).toString('base64url'))
  }
})

describe('a tree', () => {
  test('has all entries of one name in one leaf, by contract id', () => {
    const [first, second] = ['01', '02'].map((contract_id) => testEntry('bob', { contract_id }))
    const tree = treeOf([second as TestEntry, testEntry('alice'), first as TestEntry])
    expect(tree.size).toBe(2)
    expect(tree.inclusion('bob')?.text).toBe(leafOf([first as TestEntry, second as TestEntry]))
  })

  test('lacks entries that had expired at the snapshot, and names that scans answer without an entry', () => {
    const tree = treeOf([
      testEntry('gone', { expires_at: '2025-12-31T23:59:59.999999Z' }),
      testEntry('ends', { expires_at: '2026-01-01T00:00:00Z' }),
      testEntry('dso.cns'),
      testEntry('sv-1.sv.cns'),
    ])
    expect(tree.size).toBe(1)
    expect(tree.inclusion('ends')).toBeDefined()
    expect(tree.exclusion('gone')).toMatchObject({ index: 1, right: undefined })
  })

  test('names the two neighbours of an absent name, or the only one at either end', () => {
    const tree = treeOf(['b', 'd'].map((name) => testEntry(name)))
    const textOf = (name: string) => leafOf(testEntry(name))
    expect(tree.exclusion('a')).toMatchObject({ index: 0, left: undefined, right: { text: textOf('b') } })
    expect(tree.exclusion('c')).toMatchObject({
      index: 1,
      left: { text: textOf('b') },
      right: { text: textOf('d') },
    })
    expect(tree.exclusion('e')).toMatchObject({ index: 2, left: { text: textOf('d') }, right: undefined })
    expect(treeOf([]).exclusion('a')).toEqual({ index: 0, left: undefined, right: undefined })
  })
})

test('a tree of 100,000 names is built in steps that take the thread for less than 10 ms each', () => {
  const entries = Array.from({ length: 100_000 }, (_, index) => testEntry(`${(index * 7_919) % 100_000}.cns`))
  const least: number[] = []
  // The scheduler and the garbage collector lengthen different steps in each run. So only the shortest time of each
  // step counts.
  for (let run = 0; run < 2 || (run < 8 && Math.max(...least) >= 10_000); run++) {
    const steps = growTree({ entries, at })
    for (let step = 0, isDone = false; !isDone; step++) {
      const before = process.threadCpuUsage()
      isDone = steps.next().done === true
      const { user, system } = process.threadCpuUsage(before)
      least[step] = Math.min(least[step] ?? Number.POSITIVE_INFINITY, user + system)
    }
  }
  expect(Math.max(...least)).toBeLessThan(10_000)
  expect(least.length).toBeGreaterThan(1_000)
}, 60_000)
