import { describe, expect, test } from 'vitest'
import { type ReadId, readIds } from '../../src/core/reads/endpoints.ts'
import type { VersionOf } from '../../src/core/reads/read.ts'
import { reads } from '../../src/core/reads/table.ts'
import { judgeBody } from '../../src/core/scan/judgement.ts'
import { samples } from './samples.ts'

/**
 * The version of each read's sample; undefined if the sample has none. Reads that are missing here never have a
 * version.
 */
const versions: Partial<Record<ReadId, string | undefined>> = {
  lookupAnsEntryByName: '2036-03-01T12:00:00.123456000',
  getAnsRules: '2025-01-15T09:30:00.123456000',
  getAmuletRules: '2025-01-15T09:30:00.123456000',
  getDsoInfo: '2025-01-15T09:30:00.123456000',
  getOpenAndIssuingMiningRounds: '2025-01-15T09:30:00.123456000',
  getExternalPartyAmuletRules: '2025-01-15T09:30:00.123456000',
  lookupTransferPreapprovalByParty: '2025-01-15T09:30:00.123456000',
  lookupTransferCommandCounterByParty: '2025-01-15T09:30:00.123456000',
  getDateOfMostRecentSnapshotBefore: '2026-03-01T12:00:00.123456000',
  getAcsSnapshotAt: undefined,
  getAcsSnapshotAtV1: undefined,
  getAcsSnapshotAtV2: undefined,
  getHoldingsStateAt: undefined,
  getHoldingsStateAtV1: undefined,
  getHoldingsStateAtV2: undefined,
  getHoldingsSummaryAt: undefined,
  getHoldingsSummaryAtV1: undefined,
  getUpdateHistoryV2: '0000000001/2026-03-01T12:00:00.123456000',
  getUpdateHistoryV1: '0000000001/2026-03-01T12:00:00.123456000',
  getEventHistory: '0000000001/2026-03-01T12:00:00.123456000',
  getLatestEventRecordTime: '2026-03-01T12:00:00.123456000',
  getMigrationId: '0000000001',
}

function versionOf(id: ReadId, reply: unknown, params: Readonly<Record<string, string>>): string | undefined {
  const judged = judgeBody({ read: reads[id], params }, Buffer.from(JSON.stringify(reply)))
  if (judged.kind !== 'value') throw new Error(`${id}: ${JSON.stringify(judged)}`)
  return judged.version
}

test('the reads with a version are these', () => {
  const versioned = readIds.filter((id) => 'version' in reads[id])
  expect(versioned.toSorted()).toEqual(Object.keys(versions).sort())
})

describe('the version of a sample', () => {
  test.each(Object.keys(versions) as ReadId[])('of %s is its latest time', (id) => {
    const { reply, params } = samples[id]
    expect(versionOf(id, reply, params)).toBe(versions[id])
  })
})

describe('the version', () => {
  const early = '2026-01-01T00:00:00Z'
  const middle = '2026-02-01T00:00:00.5Z'
  const late = '2026-03-01T00:00:00Z'
  const dated = (created_at: string) => ({ contract: { created_at } })
  const of = (id: ReadId, value: unknown, params = {}) =>
    (reads[id] as { version?: VersionOf<unknown> }).version?.of(value, params)

  test('of the DSO is that of the newest of its contracts, whichever that is', () => {
    const times = [early, middle, late]
    for (let turn = 0; turn < 4; turn++) {
      const [a = early, b = early, c = early, d = early] = Array.from({ length: 4 }, (_, nth) =>
        nth === turn ? late : (times[nth % 2] as string),
      )
      const value = {
        latest_mining_round: dated(a),
        amulet_rules: dated(b),
        dso_rules: dated(c),
        sv_node_states: [dated(early), dated(d)],
      }
      expect(of('getDsoInfo', value)).toBe('2026-03-01T00:00:00.000000000')
    }
  })

  test('of mining rounds does not depend on issuing rounds, which close before others open', () => {
    const value = {
      open_mining_rounds: { a: dated(early), b: dated(middle) },
      issuing_mining_rounds: { c: dated(late) },
    }
    expect(of('getOpenAndIssuingMiningRounds', value)).toBe('2026-02-01T00:00:00.500000000')
    expect(of('getOpenAndIssuingMiningRounds', { ...value, open_mining_rounds: {} })).toBeUndefined()
  })

  test('of a name that never expires is none', () => {
    expect(of('lookupAnsEntryByName', { entry: { expires_at: null } })).toBeUndefined()
  })

  test('of an empty page is below that of every other page, and a later migration is above', () => {
    const page = (...transactions: readonly object[]) => of('getUpdateHistoryV2', { transactions })
    const at = (migration_id: number, record_time: string) => ({ migration_id, record_time })
    const pages = [page(), page(at(3, late)), page(at(3, early), at(10, early)), page(at(10, middle))]
    expect(pages.toSorted()).toEqual(pages)
    expect(new Set(pages).size).toBe(4)
  })

  test.each([
    'getAcsSnapshotAt',
    'getAcsSnapshotAtV1',
    'getAcsSnapshotAtV2',
    'getHoldingsStateAt',
    'getHoldingsStateAtV1',
    'getHoldingsStateAtV2',
    'getHoldingsSummaryAt',
    'getHoldingsSummaryAtV1',
  ] as const)('of %s is the time of the snapshot, if the question does not name it', (id) => {
    const params = (match: string) => ({ body: JSON.stringify({ record_time_match: match }) })
    expect(of(id, { record_time: middle }, params('at_or_before'))).toBe('2026-02-01T00:00:00.500000000')
    expect(of(id, { record_time: middle }, params('exact'))).toBeUndefined()
  })
})
