import { describe, expect, test } from 'vitest'
import type { SnapshotContract } from '../../src/core/reads/snapshots.ts'
import { mirroredTemplates } from '../../src/mirror/mirrored-contracts.ts'
import { readPage, recordTimeOf, rowOf, type SnapshotAsked } from '../../src/mirror/snapshot-page.ts'
import { ansEntry, dso, otherDso, rulesOf } from './contracts.ts'
import { at } from './snapshot-scan.ts'

const asked: SnapshotAsked = { at, migrationId: 3, dso, templates: mirroredTemplates, pageSize: 3 }
const alice = ansEntry('alice.unverified.cns')

function page(contracts: readonly unknown[], more: object = {}): unknown {
  return structuredClone({
    record_time: '2026-03-01T12:00:00Z',
    migration_id: 3,
    created_events: contracts,
    next_page_token: null,
    ...more,
  })
}

function changed(more: Partial<SnapshotContract>): SnapshotContract {
  return { ...alice, ...more }
}

describe('A page of a snapshot', () => {
  test('is read with its contracts in any order, and with the token of the next page', () => {
    const contracts = [alice, ...rulesOf()]
    expect(readPage(page(contracts), asked)).toEqual({
      kind: 'page',
      rows: contracts.map(rowOf),
      next: undefined,
    })
    expect(readPage(page(contracts.toReversed(), { next_page_token: 41 }), asked)).toEqual({
      kind: 'page',
      rows: contracts.toReversed().map(rowOf),
      next: 41,
    })
  })

  test('may be empty, may write its time with decimals, and may leave out the token and the update id', () => {
    expect(recordTimeOf(at)).toBe('2026-03-01T12:00:00Z')
    expect(readPage(page([], { record_time: '2026-03-01T12:00:00.000000Z' }), asked)).toMatchObject({
      kind: 'page',
    })
    const { created_in_update_id: _, ...rest } = alice
    const body = page([rest]) as Record<string, unknown>
    delete body['next_page_token']
    expect(readPage(body, asked)).toEqual({
      kind: 'page',
      rows: [rowOf(alice)],
      next: undefined,
    })
  })

  test.each([
    ['another instant', page([alice], { record_time: '2026-03-01T12:00:00.000001Z' })],
    ['another migration', page([alice], { migration_id: 2 })],
    ['more contracts than asked for', page([alice, alice, alice, alice])],
    ['another template', page([changed({ template_id: 'ab:Splice.Ans:AnsEntryContext' })])],
    ['the template of another package', page([changed({ package_name: 'ans-of-mallory' })])],
    ['another DSO', page([ansEntry('alice.unverified.cns', { of: otherDso })])],
    ['a contract that the DSO did not sign', page([changed({ signatories: ['mallory::1220ee'] })])],
    ['a contract without a DSO', page([changed({ create_arguments: {} })])],
  ])('with %s is a wrong answer', (_, body) => {
    expect(readPage(body, asked)).toEqual({ kind: 'fault', fault: 'wrong-answer' })
  })

  test.each([
    ['no list', page([], { created_events: {} })],
    ['a token that is neither a number nor a text', page([], { next_page_token: true })],
    ['an entry without an owner', page([changed({ create_arguments: { dso, name: 'x' } })])],
    ['a creation time that is none', page([changed({ created_at: 'today' })])],
    ['nothing at all', null],
  ])('with %s is misshapen', (_, body) => {
    expect(readPage(body, asked)).toEqual({ kind: 'fault', fault: 'misshapen' })
  })
})
