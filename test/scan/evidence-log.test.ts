import { describe, expect, test } from 'vitest'
import { type Case, EvidenceLog } from '../../src/core/scan/evidence-log.ts'

function disagreement(at: number, dissenters: readonly string[], body = 'x'.repeat(1_000)): Case {
  return {
    at: new Date(at).toISOString(),
    read: 'lookupAnsEntryByName',
    params: 'p',
    outcome: 'agreed',
    rule: 'r',
    agreed: 'd',
    statements: [{ kind: 'value', digest: 'd', body, who: ['a', 'b'] }],
    silent: [],
    dissent: Object.fromEntries(dissenters.map((name) => [name, 'pending' as const])),
  }
}

describe('the evidence', () => {
  test('stays within its bytes whatever is added', () => {
    const log = new EvidenceLog({ maxBytes: 100_000 })
    log.setRoster(['a', 'b', 'c', 'd'])
    for (let at = 0; at < 1_000; at++)
      log.add(disagreement(at, at % 3 === 0 ? ['a', 'b', 'c', 'd'] : [], 'x'.repeat(at)))
    expect(log.bytes).toBeLessThanOrEqual(100_000)
    expect(log.cases().length).toBeGreaterThan(0)
  })

  test('stays within its bytes while there is no roster, and when super validators that left dissent afterwards', () => {
    const log = new EvidenceLog({ maxBytes: 100_000 })
    const fill = (who: string) => {
      for (let at = 0; at < 100; at++) log.add(disagreement(at, [who], 'x'.repeat(1_000)))
      expect(log.bytes).toBeLessThanOrEqual(100_000)
    }
    for (const seed of ['a', 'b', 'c', 'd']) fill(seed)
    log.setRoster(['a', 'b'])
    for (const former of ['c', 'd', 'a', 'b']) fill(former)
    expect(Object.keys(Object.assign({}, ...log.cases().map(({ dissent }) => dissent))).sort()).toEqual([
      'a',
      'b',
      'c',
      'd',
    ])
  })

  test('of one liar cannot push out the cases of the others', () => {
    const log = new EvidenceLog({ maxBytes: 100_000 })
    log.setRoster(['a', 'b', 'c', 'd'])
    log.add(disagreement(0, ['b']))
    for (let at = 1; at < 1_000; at++) log.add(disagreement(at, ['a']))
    expect(log.cases().some(({ dissent }) => 'b' in dissent)).toBe(true)
  })

  test('is newest first, and a case of two dissenters is one case', () => {
    const log = new EvidenceLog({ maxBytes: 100_000 })
    log.setRoster(['a', 'b'])
    log.add(disagreement(1, ['a', 'b']))
    log.add(disagreement(2, ['b']))
    expect(log.cases().map(({ at }) => Date.parse(at))).toEqual([2, 1])
  })

  test('of members that left is forgotten', () => {
    const log = new EvidenceLog({ maxBytes: 100_000 })
    log.setRoster(['a', 'b'])
    log.add(disagreement(1, ['a']))
    log.add(disagreement(2, []))
    log.setRoster(['b'])
    expect(log.cases().map(({ at }) => Date.parse(at))).toEqual([2])
  })

  test('larger than a share is not kept', () => {
    const log = new EvidenceLog({ maxBytes: 10_000 })
    log.setRoster(['a', 'b', 'c', 'd'])
    log.add(disagreement(1, ['a'], 'x'.repeat(5_000)))
    expect(log.bytes).toBe(0)
  })
})
