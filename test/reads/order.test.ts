import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codePointKey, compareCodePoints } from '../../src/core/reads/code-points.ts'
import { earliest, instantKey, laterFirst } from '../../src/core/reads/instant.ts'
import { reads } from '../../src/core/reads/table.ts'
import { samples } from './samples.ts'

const text = fc.string({ unit: 'binary' })

describe('code point order', () => {
  test('is that of the UTF-8 bytes', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareCodePoints(a, b))).toBe(
          Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))),
        )
      }),
    )
  })

  test('puts characters above U+FFFF last, where UTF-16 does not', () => {
    expect(compareCodePoints('\u{1f600}', '\uffee')).toBeGreaterThan(0)
    expect(codePointKey('plain')).toBe('plain')
  })
})

describe('times', () => {
  test('sort as instants, whatever their decimals', () => {
    const times = [
      '2026-03-01T12:00:00Z',
      '2026-03-01T12:00:00.5Z',
      '2026-03-01T12:00:00.500001Z',
      '2026-03-01T12:00:01Z',
    ]
    expect([...times].reverse().sort((a, b) => (instantKey(a) < instantKey(b) ? -1 : 1))).toEqual(times)
    expect(instantKey(null) < instantKey('2026-03-01T12:00:00Z')).toBe(true)
  })

  test('sort later ones first where two versions of an entry both win', () => {
    const times = ['2026-03-01T12:00:01Z', '2026-03-01T12:00:00.5Z', '2026-03-01T12:00:00Z', null]
    expect([...times].reverse().sort((a, b) => (laterFirst(a) < laterFirst(b) ? -1 : 1))).toEqual(times)
  })

  test('the earliest one ends an answer, and none ends it where there is none', () => {
    expect(earliest([null, '2026-03-01T12:00:01Z', '2026-03-01T12:00:00Z'])).toBe(Date.UTC(2026, 2, 1, 12))
    expect(earliest([null])).toBeUndefined()
  })
})

describe('the list of names', () => {
  const entry = (name: string, contract_id: string | null, user = 'u::1') => ({
    contract_id,
    user,
    name,
    url: '',
    description: '',
    expires_at: null,
  })

  test('has user entries by code point of the name, then the DSO, then the super validators by party', () => {
    const { agree } = reads.listAnsEntries
    if (agree.on !== 'items') throw new Error('a list is agreed on by items')
    const shuffled = [
      entry('a-one.sv.cns', null, 'b::1'),
      entry('z.sv.cns', null, 'a::1'),
      entry('dso.sv.cns', null, 'c::1'),
      entry('b_1.unverified.cns', '00b'),
      entry('dso.cns', null),
      entry('b-1.unverified.cns', '00a'),
      entry('Z.unverified.cns', '00c'),
    ]
    const { entries } = agree.make(shuffled, { page_size: '1000' }) as { entries: { name: string }[] }
    expect(entries.map(({ name }) => name)).toEqual([
      'Z.unverified.cns',
      'b-1.unverified.cns',
      'b_1.unverified.cns',
      'dso.cns',
      'z.sv.cns',
      'a-one.sv.cns',
      'dso.sv.cns',
    ])
    expect((agree.make(shuffled, { page_size: '2' }) as { entries: unknown[] }).entries).toHaveLength(2)
  })
})

describe('of several true values', () => {
  test('the preapproval that holds since last comes first, as scans pick it', () => {
    const { agree } = reads.lookupTransferPreapprovalByParty
    if (agree.on !== 'ranked') throw new Error('not ranked')
    const { reply } = samples.lookupTransferPreapprovalByParty
    const ranks = ['2026-03-02T00:00:00Z', '2026-03-01T00:00:00.5Z', '2026-03-01T00:00:00Z'].map(
      (validFrom) => {
        const value = structuredClone(reply)
        Object.assign(value.transfer_preapproval.contract.payload, { validFrom })
        return agree.rank(value)
      },
    )
    expect(ranks.toSorted()).toEqual(ranks)
  })

  test('a right of a featured app comes before none, and is one that a scan may pick', () => {
    const { agree } = reads.lookupFeaturedAppRight
    if (agree.on !== 'ranked') throw new Error('not ranked')
    const { reply } = samples.lookupFeaturedAppRight
    const none = { featured_app_right: null }
    expect(reply.featured_app_right).not.toBeNull()
    expect(agree.rank(reply) < agree.rank(none)).toBe(true)
    expect([agree.isPick?.(reply), agree.isPick?.(none)]).toEqual([true, false])
  })
})
