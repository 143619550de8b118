import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { statedIn } from '../../src/observations/observed-contracts.ts'
import {
  contractDigest,
  entryDigest,
  rosterDigest,
  snapshotSubject,
} from '../../src/observations/subjects.ts'

const contract = {
  template_id: 'aa:Splice.AmuletRules:AmuletRules',
  contract_id: '00ab',
  payload: { dso: 'DSO::12', inner: { fee: '1.0', none: null }, list: ['a', { b: null }] },
  created_at: '2026-01-01T00:00:00Z',
}

describe('the digest of a contract', () => {
  test.each([
    ['the hash of its package', { template_id: 'bb:Splice.AmuletRules:AmuletRules' }],
    ['an optional field without a value', { payload: { ...contract.payload, later: null } }],
    ['zeros at the end of its time', { created_at: '2026-01-01T00:00:00.000Z' }],
    ['the order of its members', { payload: { list: ['a', {}], inner: { fee: '1.0' }, dso: 'DSO::12' } }],
    ['its blob', { created_event_blob: 'CgMyLjE=' }],
  ])('is the same whatever %s is', (_what, other) => {
    expect(contractDigest({ ...contract, ...other })).toBe(contractDigest(contract))
  })

  test.each([
    ['template', { template_id: 'aa:Splice.AmuletRules:Other' }],
    ['payload', { payload: { ...contract.payload, dso: 'DSO::13' } }],
    ['list', { payload: { ...contract.payload, list: [{ b: null }, 'a'] } }],
    ['time', { created_at: '2026-01-01T00:00:01Z' }],
  ])('is another one of another %s', (_what, other) => {
    expect(contractDigest({ ...contract, ...other })).not.toBe(contractDigest(contract))
  })
})

test('the digest of an entry is the same whatever zeros its end has, and another one of another end or party', () => {
  const entry = {
    contract_id: '00cd',
    name: 'a.cns',
    user: 'a::12',
    expires_at: '2026-05-01T00:00:00Z',
    url: '',
  }
  expect(entryDigest({ ...entry, expires_at: '2026-05-01T00:00:00.000000Z' })).toBe(entryDigest(entry))
  const others = [
    { expires_at: '2026-05-02T00:00:00Z' },
    { expires_at: null },
    { user: 'b::12' },
    { url: 'x' },
  ]
  const digests = [entry, ...others.map((other) => ({ ...entry, ...other }))].map(entryDigest)
  expect(new Set(digests).size).toBe(5)
})

test('the digest of a roster is the same in every order, and another one of other members', () => {
  const members = ['a', 'b', 'c'].map((name) => ({ party: `${name}::12`, name }))
  expect(rosterDigest(members.toReversed())).toBe(rosterDigest(members))
  expect(rosterDigest(members.slice(1))).not.toBe(rosterDigest(members))
  expect(rosterDigest(members.with(0, { party: 'a::12', name: 'b' }))).not.toBe(rosterDigest(members))
})

test('a snapshot is named by its migration, its time, its templates and its DSO', () => {
  const named = { dso: 'DSO::12', migrationId: 3, at: Date.UTC(2026, 0, 1, 3), templates: ['a', 'b'] }
  const others = [{ dso: 'DSO::13' }, { migrationId: 4 }, { at: 0 }, { templates: ['a'] }]
  const subjects = [named, ...others.map((other) => ({ ...named, ...other }))].map(snapshotSubject)
  expect(new Set(subjects).size).toBe(5)
  expect(subjects[0]).toMatch(/^snapshot 3 2026-01-01T03:00:00\.000Z [\w-]{43}$/)
})

describe('a reply', () => {
  test('of any form states at most 65 things, and nothing in it throws', () => {
    const contracts = fc.record({
      template_id: fc.constantFrom(contract.template_id, 'aa:Splice.DsoRules:DsoRules', 'x'),
      contract_id: fc.string(),
      payload: fc.oneof(fc.constant(contract.payload), fc.dictionary(fc.string(), fc.jsonValue())),
      created_at: fc.oneof(fc.constant(contract.created_at), fc.string()),
    })
    const entries = fc.record({ contract_id: fc.string(), name: fc.string(), user: fc.string() })
    const reply = fc.oneof(
      fc.jsonValue(),
      fc.array(fc.oneof(contracts, entries), { maxLength: 200, size: 'max' }),
      fc.dictionary(fc.string(), fc.oneof(contracts, entries)),
    )
    fc.assert(
      fc.property(reply, fc.constantFrom('rules', 'all'), (value, scope) => {
        const stated = statedIn(value, scope)
        expect(stated.length).toBeLessThanOrEqual(65)
        for (const { digest } of stated) expect(digest).toMatch(/^[\w-]{43}$/)
      }),
      { numRuns: 200 },
    )
  })

  test("states the DSO's own contracts only, unless all are observed", () => {
    const other = { ...contract, template_id: 'aa:Splice.Amulet:Amulet' }
    const entry = { contract_id: '00cd', name: 'alice.cns', user: 'alice::12', expires_at: null }
    expect(statedIn({ a: [contract, other], entry }, 'rules')).toHaveLength(1)
    expect(statedIn({ a: [contract, other], entry }, 'all')).toHaveLength(3)
  })

  test('that is nested a million times is read to a bounded depth', () => {
    let value: unknown = contract
    for (let depth = 0; depth < 1_000_000; depth++) value = [value]
    expect(statedIn(value, 'all')).toEqual([])
  })
})
