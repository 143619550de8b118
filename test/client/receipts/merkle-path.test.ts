import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emptyRoot, leafHash, rootOver } from '../../../src/client/receipts/merkle-path.ts'
import { pathOf, treeHash } from '../../support/set-signer.ts'

const leavesOf = (size: number) => Array.from({ length: size }, (_, index) => `leaf ${index}`)

test('in trees of all sizes up to 70, the path of each leaf leads to the root of RFC 6962, at its own position alone', async () => {
  for (let size = 1; size <= 70; size++) {
    const leaves = leavesOf(size)
    const root = treeHash(leaves)
    for (const [index, leaf] of leaves.entries()) {
      const path = Buffer.concat([...pathOf(index, leaves)])
      const over = async (at: number, of = size) =>
        Buffer.from((await rootOver(await leafHash(leaf), { index: at, size: of }, path)) ?? []).equals(root)
      expect(await over(index)).toBe(true)
      for (const other of [index - 1, index + 1, index ^ 1, size, 2 * size])
        if (other >= 0 && other !== index) expect(await over(other)).toBe(false)
    }
  }
})

test('a path that is shorter, longer or cut leads nowhere', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: 300 }), fc.nat(), async (size, place) => {
      const leaves = leavesOf(size)
      const index = place % size
      const path = Buffer.concat([...pathOf(index, leaves)])
      const leaf = await leafHash(leaves[index] as string)
      const lengths = [0, path.length - 32, path.length - 1]
      for (const other of [
        ...lengths.map((length) => path.subarray(0, length)),
        Buffer.concat([path, path]),
      ]) {
        const found = await rootOver(leaf, { index, size }, other)
        expect(found === undefined || !Buffer.from(found).equals(treeHash(leaves))).toBe(true)
      }
    }),
    { numRuns: 40 },
  )
})

test('no position is beyond the size, and an empty tree has the hash of nothing for its root', async () => {
  const leaf = await leafHash('x')
  for (const [index, size] of [
    [0, 0],
    [1, 1],
    [5, 5],
    [2 ** 48, 2 ** 48],
  ] as const)
    expect(await rootOver(leaf, { index, size }, new Uint8Array())).toBeUndefined()
  expect(await rootOver(leaf, { index: 0, size: 2 ** 49 }, new Uint8Array(32 * 2_000))).toBeUndefined()
  expect(Buffer.from(await emptyRoot())).toEqual(treeHash([]))
})
