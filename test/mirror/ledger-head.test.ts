import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tolerated } from '../../src/base/lib/threshold.ts'
import { electorateOf } from '../../src/core/quorum/electorate.ts'
import { confirmedHead, type HeadDeps, LedgerHead } from '../../src/mirror/ledger-head.ts'
import { rosterOf } from './drained-network.ts'

function electorate(n: number, operator = (voter: number) => `operator ${voter}`, operators?: number) {
  const voters = Array.from({ length: n }, (_, voter) => ({
    names: [`sv-${voter}`],
    operator: operator(voter),
  }))
  return electorateOf(voters, 'f+1', operators)
}

test('f liars cannot make the ledger seem later than it is, so they expire no name', () => {
  const arbitrary = fc.integer({ min: 1, max: 40 }).chain((n) =>
    fc.record({
      n: fc.constant(n),
      heads: fc.array(fc.option(fc.integer({ min: 0, max: 1_000 }), { nil: undefined }), {
        minLength: n,
        maxLength: n,
      }),
      liars: fc.uniqueArray(fc.integer({ min: 0, max: n - 1 }), { maxLength: tolerated(n) }),
      lie: fc.integer({ min: 1_001, max: 1e9 }),
    }),
  )
  fc.assert(
    fc.property(arbitrary, ({ n, heads, liars, lie }) => {
      const said = heads.map((head, voter) => (liars.includes(voter) ? lie : head))
      const honest = said.filter((head, voter) => head !== undefined && !liars.includes(voter)) as number[]
      const confirmed = confirmedHead(electorate(n), said)
      if (confirmed !== undefined) expect(confirmed).toBeLessThanOrEqual(Math.max(...honest))
    }),
  )
})

test('the (f+1)-th highest time counts', () => {
  expect(confirmedHead(electorate(7), [70, 10, 60, undefined, 50, 40, undefined])).toBe(50)
  expect(confirmedHead(electorate(7), [70, 60])).toBeUndefined()
  expect(confirmedHead(electorate(1), [5])).toBe(5)
})

test('where operators count, the times of one operator are not enough', () => {
  const two = electorate(8, (voter) => (voter < 4 ? 'big' : `own ${voter}`), 5)
  expect(confirmedHead(two, [100, 99, 98, 97, 50, 40, 30, 20])).toBe(50)
})

test.each([
  [403, '{"error":"forbidden"}'],
  [404, '{"error":"The requested resource could not be found."}'],
  [500, '{"error":"internal"}'],
  [200, '[]'],
])(
  'a scan that answers %i to one question about how late the ledger is is asked the next',
  async (status, body) => {
    const asked: string[] = []
    const says = (status: number, body: string) =>
      ({ kind: 'response', status, body: Buffer.from(body), release() {} }) as const
    const connection = {
      rateLimit: { allows: () => true },
      askForDaemon: async ({ path }: { readonly path: string }) => {
        asked.push(path)
        return path.endsWith('/latest-record-time')
          ? says(200, '{"record_time":"2026-03-01T12:00:00Z"}')
          : says(status, body)
      },
    }
    const connections = {
      ofRoster: () => ({ connections: [connection] }),
    } as unknown as HeadDeps['connections']
    const head = new LedgerHead({ connections, requestTimeoutMs: 1_000 })
    const { signal } = new AbortController()
    expect(await head.agreed(3, rosterOf(1), signal)).toBe(Date.UTC(2026, 2, 1, 12))
    expect(asked.map((path) => path.slice('/api/scan'.length))).toEqual([
      '/v0/backfilling/migration-info',
      '/v0/events/latest-record-time',
    ])
  },
)
