import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SpliceError } from '../../src/base/errors/splice.ts'
import { canonicalBody } from '../../src/core/reads/canonical-params.ts'
import type { Pattern } from '../../src/core/reads/pattern.ts'
import type { Read } from '../../src/core/reads/read.ts'
import { reads } from '../../src/core/reads/table.ts'
import { NoFaultError, nodeFaultKinds, prepareFaults } from '../../src/localnet/faults.ts'

/** Words of the library that checks schemas. A message for callers must not contain them. */
const foreignWords =
  /Invalid (input|option|string)|expected \w+, received|Too (big|small)|Unrecognized key|undefined/

const withBody = Object.values<Read>(reads).flatMap((read) =>
  read.body === undefined ? [] : [{ id: read.id, body: read.body, members: membersOf(read.body) }],
)

function membersOf(pattern: Pattern): readonly string[] {
  return typeof pattern === 'object' && 'object' in pattern ? Object.keys(pattern.object) : []
}

const value = fc.oneof(
  fc.jsonValue(),
  fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null))),
  fc.integer({ min: -5, max: 5_000 }),
  fc.constantFrom('2026-01-01T00:00:00Z', 'soon', 'alice::1220', 'x'.repeat(5_000)),
)

describe('the error of a body that does not fit', () => {
  test.each(withBody)('of $id is a sentence of our own that begins with the path of a member', (read) => {
    const given = fc.record(Object.fromEntries(read.members.map((name) => [name, value])), {
      requiredKeys: [],
    })
    fc.assert(
      fc.property(fc.oneof(given, fc.jsonValue()), (body) => {
        const text = errorOf(() => canonicalBody(read.body, body))
        if (text === undefined) return
        expect(text).not.toMatch(foreignWords)
        const [, where] = /^The request content was malformed:\n(\S+)/.exec(text) ?? []
        if (where !== undefined)
          expect(['the', ...read.members]).toContain(where.replace(':', '').split('.')[0])
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ['getUpdateHistoryV2', {}, 'page_size is missing'],
    ['getUpdateHistoryV2', { page_size: 'ten' }, 'page_size must be a number'],
    ['getUpdateHistoryV2', { page_size: 1.5 }, 'page_size must be an integer'],
    ['getUpdateHistoryV2', [], 'the body must be an object'],
    [
      'getUpdateHistoryV2',
      { page_size: 1, after: { after_migration_id: 0 } },
      'after.after_record_time is missing',
    ],
    [
      'getUpdateHistoryV2',
      { page_size: 1, after: { after_migration_id: 0, after_record_time: 'soon' } },
      'after.after_record_time: not a time of ISO 8601 with its offset',
    ],
  ] as const)('of %s with %j says: %s', (id, body, says) => {
    const read: Read = reads[id]
    expect(errorOf(() => canonicalBody(read.body as NonNullable<Read['body']>, body))).toContain(says)
  })
})

describe('the error of a fault that does not fit', () => {
  test('is a sentence of our own', () => {
    const fault = fc.record(
      {
        kind: fc.constantFrom(...nodeFaultKinds),
        only: value,
        ms: value,
        alone: value,
        after: value,
        bytes: value,
        status: value,
        by: value,
      },
      { requiredKeys: ['kind'] },
    )
    fc.assert(
      fc.property(fault, (given) => {
        expect(errorOf(() => prepareFaults(given)) ?? '').not.toMatch(foreignWords)
      }),
      { numRuns: 2_000 },
    )
  })
})

function errorOf(act: () => unknown): string | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    if (error instanceof SpliceError || error instanceof NoFaultError) return error.message
    throw error
  }
}
