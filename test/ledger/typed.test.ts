import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SubscriptionIdleState } from '../../src/ledger/daml/splice/subscription-renewal.ts'
import { microsOf } from '../../src/ledger/daml/time.ts'
import type { DueFilter } from '../../src/ledger/ledger.ts'
import { dueContracts } from '../../src/ledger/typed.ts'
import { epoch, idleState } from '../automation/contracts.ts'

test('due contracts come page by page, each once, whatever happens to the earlier pages', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(5)),
      fc.integer({ min: 1, max: 4 }),
      fc.func(fc.boolean()),
      async (times, limit, stays) => {
        const key = ({ contractId, argument }: ReturnType<typeof idleState>) =>
          [microsOf(argument.nextPaymentDueAt), contractId] as const
        const isBefore = ([at, id]: readonly [number, string], [other, otherId]: readonly [number, string]) =>
          at < other || (at === other && id < otherId)
        const all = times.map((after) => idleState({ dueAt: epoch + after }))
        let active = all.toSorted((a, b) => (isBefore(key(a), key(b)) ? -1 : 1))
        const ledger = {
          async due({ before, after }: DueFilter, most: number) {
            const last = after === undefined ? undefined : ([after.dueAt, after.contractId] as const)
            const found = active.filter(
              (one) => key(one)[0] < before && (last === undefined || isBefore(last, key(one))),
            )
            return found.slice(0, most)
          },
        }
        const seen: string[] = []
        for await (const page of dueContracts(ledger, SubscriptionIdleState, epoch + 4, limit)) {
          expect(page.length).toBeLessThanOrEqual(limit)
          seen.push(...page.map(({ contractId }) => contractId))
          active = active.filter((one) => !page.includes(one) || stays(one.contractId))
        }
        const due = all.filter((one) => key(one)[0] < epoch + 4).map(({ contractId }) => contractId)
        expect(seen.toSorted()).toEqual(due.toSorted())
      },
    ),
  )
})
