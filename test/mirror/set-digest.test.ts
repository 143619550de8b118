import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../src/lib/canonical-json.ts'
import { digest } from '../../src/lib/digest.ts'
import { seededRandom } from '../../src/lib/random.ts'
import { digestOfSet, SetDigest } from '../../src/mirror/set-digest.ts'
import { SharedRows, SnapshotSet } from '../../src/mirror/snapshot-set.ts'
import { compareCodePoints } from '../../src/reads/code-points.ts'
import type { SnapshotContract } from '../../src/reads/snapshots.ts'
import { someLedger } from './contracts.ts'
import { pick, shuffled } from './random.ts'

const json = fc.jsonValue({ maxDepth: 2 }).filter((value) => JSON.stringify(value) !== '-0')
const text = fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed())
const contracts = fc.uniqueArray(
  fc.record({
    created_in_update_id: fc.option(text),
    contract_id: text,
    template_id: text,
    package_name: text,
    create_arguments: fc.dictionary(text, json),
    created_at: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5Z'),
    signatories: fc.uniqueArray(text),
    observers: fc.uniqueArray(text),
  }),
  { selector: ({ contract_id: id }) => id, maxLength: 8 },
) as fc.Arbitrary<readonly SnapshotContract[]>

describe('The digest of a set', () => {
  test('is the SHA-256 of the canonical JSON of its contracts by contract id', () => {
    fc.assert(
      fc.property(contracts, (set) => {
        const normal = set
          .map((contract) => ({
            ...contract,
            signatories: contract.signatories.toSorted(compareCodePoints),
            observers: contract.observers.toSorted(compareCodePoints),
          }))
          .sort((a, b) => compareCodePoints(a.contract_id, b.contract_id))
        expect(digestOfSet(set)).toBe(digest(canonicalJson(normal)))
      }),
      { numRuns: 300 },
    )
  })

  test('does not depend on the order of contracts, of parties or of members', () => {
    fc.assert(
      fc.property(contracts, fc.integer(), (set, seed) => {
        const random = seededRandom(seed)
        const other = shuffled(random, set).map((contract) => ({
          ...Object.fromEntries(shuffled(random, Object.entries(contract))),
          signatories: shuffled(random, contract.signatories),
          observers: shuffled(random, contract.observers),
        })) as unknown as readonly SnapshotContract[]
        expect(digestOfSet(other)).toBe(digestOfSet(set))
      }),
      { numRuns: 300 },
    )
  })

  test('does not depend on trailing zeros of a creation time', () => {
    const [contract] = someLedger(seededRandom(2), 1) as [SnapshotContract]
    const said = (created_at: string) => digestOfSet([{ ...contract, created_at }])
    expect(said('2026-01-01T00:00:00.500Z')).toBe(said('2026-01-01T00:00:00.5Z'))
    expect(said('2026-01-01T00:00:00.05Z')).not.toBe(said('2026-01-01T00:00:00.5Z'))
  })

  test('does not depend on how the contracts are divided into pages of several scans', () => {
    fc.assert(
      fc.property(contracts, fc.integer(), (set, seed) => {
        const shared = new SharedRows()
        const digests = [seed, seed + 1].map((each) => {
          const drained = new SnapshotSet(shared)
          for (const contract of shuffled(seededRandom(each), set)) expect(drained.add(contract)).toBe(true)
          const hash = new SetDigest()
          for (const row of drained.rows()) hash.add(row)
          return hash.end()
        })
        expect(digests).toEqual([digestOfSet(set), digestOfSet(set)])
      }),
      { numRuns: 100 },
    )
  })

  test('changes with every field of every contract, and with every contract that comes or goes', () => {
    fc.assert(
      fc.property(contracts, fc.integer(), (set, seed) => {
        const random = seededRandom(seed)
        const before = digestOfSet(set)
        const [victim, ...others] = shuffled(random, set)
        if (victim === undefined) return
        expect(digestOfSet(others)).not.toBe(before)
        const field = pick(random, Object.keys(victim) as (keyof SnapshotContract)[])
        expect(digestOfSet([...others, changed(victim, field)])).not.toBe(before)
      }),
      { numRuns: 500 },
    )
  })
})

function changed(contract: SnapshotContract, field: keyof SnapshotContract): SnapshotContract {
  switch (field) {
    case 'created_at':
      return { ...contract, created_at: '2027-01-01T00:00:00Z' }
    case 'create_arguments':
      return { ...contract, create_arguments: { ...contract.create_arguments, 'a new field': 1 } }
    case 'signatories':
    case 'observers':
      return { ...contract, [field]: [...contract[field], 'one more party'] }
    default:
      return { ...contract, [field]: `${contract[field]} ` }
  }
}
