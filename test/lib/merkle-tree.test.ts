import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MerkleTree } from '../../src/lib/merkle-tree.ts'
import { rootFrom, sha256 } from '../observations/verified.ts'

const leaves = fc.array(fc.string(), { maxLength: 40 })

describe('a Merkle root', () => {
  test('of no leaf is the hash of nothing, and of one leaf that of the leaf', () => {
    expect(MerkleTree.of([]).root).toEqual(sha256())
    expect(MerkleTree.of(['a']).root).toEqual(sha256(Buffer.of(0), Buffer.from('a')))
  })

  test('of eight leaves is the one of the tests of Certificate Transparency', () => {
    const hex = [
      '',
      '00',
      '10',
      '2021',
      '3031',
      '40414243',
      '5051525354555657',
      '606162636465666768696a6b6c6d6e6f',
    ]
    const texts = hex.map((leaf) => Buffer.from(leaf, 'hex').toString('utf8'))
    expect(MerkleTree.of(texts).root.toString('hex')).toBe(
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    )
  })

  test('is reached from each leaf by its proof, as RFC 9162 checks it, and from no other', () => {
    fc.assert(
      fc.property(leaves, fc.nat(39), fc.string(), (texts, at, other) => {
        fc.pre(at < texts.length)
        const tree = MerkleTree.of(texts)
        const proof = tree.pathOf(at).map((hash) => Buffer.from(hash))
        const place = { index: at, size: texts.length }
        const root = tree.root.toString('base64')
        expect(rootFrom(texts[at] as string, place, proof)).toBe(root)
        if (other !== texts[at]) expect(rootFrom(other, place, proof)).not.toBe(root)
      }),
    )
  })
})
