import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EntryFilter, Ledger } from '../../../src/ledger/ledger.ts'
import {
  archive,
  commit,
  dayUs,
  entryCreate,
  type Pair,
  pairOf,
  register,
  renewal,
} from '../../ledger/submissions.ts'
import { type OpenLedger, spring } from './under-test.ts'

export function entriesContract(open: OpenLedger): void {
  describe('entries', () => {
    const names = async (ledger: Ledger, filter: Partial<EntryFilter> = {}) =>
      (await ledger.entries({ limit: 100, ...filter })).map(({ name: found }) => found)

    test('come with their contract', async () => {
      await using under = await open()
      const pair = await pairOf(under.ledger)
      const contract = await register(under.ledger, pair, 'a', { expiresAt: spring })
      const { contractId } = contract
      expect(await under.ledger.entries({ name: 'a', limit: 1 })).toEqual([
        { contractId, name: 'a', user: pair.user, expiresAt: spring, contract },
      ])
    })

    test('are in the order of their code points', async () => {
      await using under = await open()
      const { ledger } = under
      const pair = await pairOf(ledger)
      const ordered = ['-', 'A', 'B', '_', 'a', 'a-', 'a.', 'a_', 'aa', 'b', 'é', '\uffee', '😀']
      for (const name of ordered.toReversed()) await register(ledger, pair, name)
      expect(await names(ledger)).toEqual(ordered)
      expect(await names(ledger, { limit: 3 })).toEqual(['-', 'A', 'B'])
      expect(await names(ledger, { prefix: 'a' })).toEqual(['a', 'a-', 'a.', 'a_', 'aa'])
      expect(await names(ledger, { prefix: 'a', limit: 2 })).toEqual(['a', 'a-'])
      expect(await names(ledger, { prefix: 'a', name: 'b' })).toEqual([])
      expect(await names(ledger, { prefix: '%' })).toEqual([])
    })

    test('are those of a user', async () => {
      await using under = await open()
      const { ledger } = under
      const alice = await pairOf(ledger, 'alice')
      const bob = await pairOf(ledger, 'bob')
      for (const name of ['c', 'a', 'b']) await register(ledger, alice, name)
      await register(ledger, bob, 'a')
      expect(await names(ledger, { user: alice.user })).toEqual(['a', 'b', 'c'])
      expect(await names(ledger, { user: alice.user, limit: 1 })).toEqual(['a'])
      expect(await names(ledger, { user: alice.user, prefix: 'b' })).toEqual(['b'])
      expect(await names(ledger, { user: alice.dso })).toEqual([])
      const both = await ledger.entries({ name: 'a', user: bob.user, limit: 1 })
      expect(both.map(({ user }) => user)).toEqual([bob.user])
    })

    test('are unexpired up to the instant at which they expire', async () => {
      await using under = await open()
      const { ledger } = under
      const pair = await pairOf(ledger)
      await register(ledger, pair, 'a', { expiresAt: spring })
      for (const filter of [{}, { name: 'a' }, { user: pair.user }, { prefix: 'a' }]) {
        expect(await names(ledger, { ...filter, notExpiredAt: spring })).toEqual(['a'])
        expect(await names(ledger, { ...filter, notExpiredAt: spring + 1 })).toEqual([])
      }
    })

    test('are at every time what they were then', async () => {
      await using under = await open()
      const { ledger, clock } = under
      const pairs = [await pairOf(ledger, 'alice'), await pairOf(ledger, 'bob')] as const
      const step = fc.record({
        act: fc.constantFrom('register', 'renew', 'archive'),
        name: fc.constantFrom('a', 'ab', 'b'),
        who: fc.constantFrom(0, 1),
        waitMs: fc.constantFrom(0, 0, 5),
      })
      const filters: Partial<EntryFilter>[] = [
        {},
        { name: 'a' },
        { prefix: 'a', limit: 2 },
        { user: pairs[0].user },
        { user: pairs[1].user, name: 'ab' },
      ]
      const look = (asOf?: number) =>
        Promise.all(
          filters.map((filter) =>
            ledger.entries({ limit: 100, ...filter, ...(asOf === undefined ? {} : { asOf }) }),
          ),
        )
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
          const seen = new Map<number, unknown>()
          for (const { act, name, who, waitMs } of steps) {
            clock.advance(waitMs)
            const at = await apply(ledger, pairs[who as 0 | 1], act, name)
            if (at !== undefined) seen.set(at, await look())
          }
          for (const [at, then] of seen) expect(await look(at)).toEqual(then)
        }),
        { numRuns: 15 },
      )
    })
  })
}

async function apply(ledger: Ledger, pair: Pair, act: string, name: string): Promise<number | undefined> {
  if (act === 'register') return (await commit(ledger, pair, entryCreate(pair, name))).recordTime
  const [entry] = await ledger.entries({ name, user: pair.user, limit: 1 })
  if (entry === undefined) return undefined
  const command = act === 'renew' ? renewal(entry.contractId, dayUs) : archive(entry.contractId)
  return (await commit(ledger, pair, command)).recordTime
}
