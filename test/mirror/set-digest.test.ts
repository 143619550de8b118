import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../src/base/lib/canonical-json.ts'
import { digest } from '../../src/base/lib/digest.ts'
import { seededRandom } from '../../src/base/lib/random.ts'
import type { SnapshotContract } from '../../src/core/reads/snapshots.ts'
import { entryIn, mirroredTemplates } from '../../src/mirror/mirrored-contracts.ts'
import { judgedPage, judgedSet, recordTimeOf } from '../../src/mirror/snapshot-page.ts'
import { ansEntry, digestOfSet, dso, rulesOf, someLedger } from './contracts.ts'
import { pick, shuffled } from './random.ts'
import { at, migrationId } from './snapshot-scan.ts'

const ledgers = fc.integer().map((seed) => someLedger(seededRandom(seed), 8))
const [rules] = rulesOf() as [SnapshotContract]

describe('The digest of a set', () => {
  test('is the SHA-256 of the sorted SHA-256s of the canonical JSON of each name and of its super validators', () => {
    fc.assert(
      fc.property(ledgers, (set) => {
        const hashes = set.map((contract) => {
          const { contract_id } = contract
          const row = entryIn(contract) ?? { contract_id, members: [['sv::1220ab', 'sv-1']] }
          return Buffer.from(digest(canonicalJson(row as never)), 'base64url')
        })
        expect(digestOfSet(set)).toBe(digest(Buffer.concat(hashes.sort(Buffer.compare))))
      }),
      { numRuns: 300 },
    )
  })

  test('does not depend on the order of contracts, of parties or of members', () => {
    fc.assert(
      fc.property(ledgers, fc.integer(), (set, seed) => {
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
    const svs = ['a', 'b', 'c'].map((name) => [`${name}::1220`, { name }])
    const said = (list: readonly unknown[]) =>
      digestOfSet([{ ...rules, create_arguments: { ...rules.create_arguments, svs: list as never } }])
    expect(said(svs.toReversed())).toBe(said(svs))
    expect(said(svs.slice(1))).not.toBe(said(svs))
  })

  test.each<[string, (contract: SnapshotContract) => SnapshotContract]>([
    ['the update that created a contract', (contract) => ({ ...contract, created_in_update_id: '1220ff' })],
    [
      'trailing zeros of a creation time',
      (contract) => ({ ...contract, created_at: `${contract.created_at.slice(0, -1)}00Z` }),
    ],
    ['the text of a decimal in rules', withArgument('amount', '1.0')],
    ['a member that a newer release adds', withArgument('added', null)],
    ['observers', (contract) => ({ ...contract, observers: ['alice::1220ab'] })],
    ['the id of the package', (contract) => ({ ...contract, template_id: `0${contract.template_id}` })],
  ])('leaves out what answers of the mirror do not have, such as %s', (_what, told) => {
    const set = [ansEntry('alice.cns', { createdAt: '2026-01-01T00:00:00.5Z' }), rules]
    expect(digestOfSet(set.map(told))).toBe(digestOfSet(set))
  })

  test('does not depend on how the contracts are divided into pages of several scans', () => {
    fc.assert(
      fc.property(ledgers, fc.integer(), (set, seed) => {
        const digests = [seed, seed + 1].map((each) => {
          const random = seededRandom(each)
          const bodies: Buffer[] = []
          const left = [...shuffled(random, set)]
          while (left.length > 0) {
            const rows = left.splice(0, 1 + Math.floor(random() * 5))
            const page = { record_time: recordTimeOf(at), migration_id: migrationId, created_events: rows }
            const asked = { at, migrationId, dso, templates: mirroredTemplates, pageSize: 5 }
            const judged = judgedPage([Buffer.from(JSON.stringify(page))], asked)
            if (judged.kind !== 'page') throw new Error('a page is misread')
            bodies.push(Buffer.from(judged.hashes))
          }
          return judgedSet(bodies).digest
        })
        expect(digests).toEqual([digestOfSet(set), digestOfSet(set)])
      }),
      { numRuns: 100 },
    )
  })

  test('changes with every field of every name, and with every contract that comes or goes', () => {
    fc.assert(
      fc.property(ledgers, fc.integer(), (set, seed) => {
        const random = seededRandom(seed)
        const before = digestOfSet(set)
        const [victim, ...others] = shuffled(random, set) as [SnapshotContract, ...SnapshotContract[]]
        expect(digestOfSet(others)).not.toBe(before)
        expect(digestOfSet([...others, { ...victim, contract_id: `${victim.contract_id}0` }])).not.toBe(
          before,
        )
        if (entryIn(victim) === undefined) return
        const field = pick(random, ['user', 'name', 'url', 'description', 'expiresAt'])
        const other = { user: 'eve::1220ab', expiresAt: '2027-01-01T00:00:00Z' }[field] ?? 'other'
        expect(digestOfSet([...others, withArgument(field, other)(victim)])).not.toBe(before)
      }),
      { numRuns: 500 },
    )
  })
})

function withArgument(name: string, value: string | null): (contract: SnapshotContract) => SnapshotContract {
  return (contract) => ({ ...contract, create_arguments: { ...contract.create_arguments, [name]: value } })
}
