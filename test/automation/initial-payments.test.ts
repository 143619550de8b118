import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideInitialPayments, judge, type PaidRequest } from '../../src/automation/initial-payments.ts'
import { AnsEntry, AnsEntryContext } from '../../src/ledger/daml/splice/ans.ts'
import { SubscriptionInitialPayment } from '../../src/ledger/daml/splice/subscription-initial-payment.ts'
import { timeOf } from '../../src/ledger/daml/time.ts'
import { cid, contract, dso, epoch, rulesWith } from './contracts.ts'

const acronym = 'cns'
const alice = `alice::1220${'a'.repeat(64)}`

interface Paid {
  readonly label: string
  readonly number?: string
  readonly url?: string
  readonly isOther?: boolean
  readonly isHeld?: boolean
}

function paid({ label, number = '8', url = '', isOther = false, isHeld = false }: Paid): PaidRequest {
  const name = `${label}.unverified.cns`
  const reference = cid()
  const payment = contract(SubscriptionInitialPayment, {
    subscriptionData: { sender: alice, receiver: dso, provider: dso, dso, description: name },
    payData: {
      paymentAmount: { amount: '1.0', unit: 'USDUnit' },
      paymentInterval: { microseconds: '7776000000000' },
      paymentDuration: { microseconds: '2592000000000' },
    },
    targetAmount: '200.0',
    lockedAmulet: cid(),
    round: { number },
    reference,
  })
  const held = { dso, user: alice, name, url, description: '' }
  const context = isOther ? undefined : contract(AnsEntryContext, { ...held, reference })
  if (!isHeld) return { payment, context, holder: undefined }
  const expiresAt = epoch + 1
  const entry = contract(AnsEntry, { ...held, expiresAt: timeOf(expiresAt) })
  return {
    payment,
    context,
    holder: { contractId: entry.contractId, name, user: alice, expiresAt, contract: entry },
  }
}

const verdicts = (...all: readonly Paid[]) =>
  judge({ rules: rulesWith(), acronym, paid: all.map(paid) }).map((verdict) =>
    verdict.kind === 'reject' ? verdict.reason : verdict.kind,
  )

describe('a first payment', () => {
  test.each<[Paid, string]>([
    [{ label: 'a' }, 'collect'],
    [{ label: 'a', number: '9' }, 'collect'],
    [{ label: 'a', number: '6' }, 'the round of the payment is over'],
    [{ label: 'A' }, 'the name, url or description is invalid'],
    [{ label: 'a', url: 'x' }, 'the name, url or description is invalid'],
    [{ label: 'a', isHeld: true }, 'the name is taken'],
    [{ label: 'a', isOther: true }, 'wait'],
    [{ label: 'A', number: '6', isHeld: true }, 'the round of the payment is over'],
    [{ label: 'A', isHeld: true }, 'the name, url or description is invalid'],
    [{ label: 'A', number: '6', isHeld: true, isOther: true }, 'wait'],
  ])('%j: %s', (one, verdict) => {
    expect(verdicts(one)).toEqual([verdict])
  })

  test('comes first where it was paid first; one that cannot be collected is in nobody’s way', () => {
    expect(verdicts({ label: 'a' }, { label: 'b' }, { label: 'a' }, { label: 'a', number: '6' })).toEqual([
      'collect',
      'collect',
      'wait',
      'the round of the payment is over',
    ])
    expect(verdicts({ label: 'a', number: '6' }, { label: 'a' }).at(-1)).toBe('collect')
  })

  test('is collected in its own round, and given back in the newest open one', () => {
    const rules = rulesWith()
    const [over, open] = rules.rounds
    const all = [paid({ label: 'a', number: '7' }), paid({ label: 'b', number: '6' })]
    const [collected, rejected] = decideInitialPayments({ rules, acronym, paid: all }, epoch)
    expect(collected).toMatchObject({
      commandId: `collect-initial-payment:${all[0]?.payment.contractId}`,
      actAs: [dso],
      commands: [
        {
          choice: 'AnsEntryContext_CollectInitialEntryPayment',
          contractId: all[0]?.context?.contractId,
          argument: { transferContext: { openMiningRound: over?.contractId } },
        },
      ],
    })
    expect(rejected).toMatchObject({
      commandId: `reject-initial-payment:${all[1]?.payment.contractId}`,
      commands: [
        {
          choice: 'AnsEntryContext_RejectEntryInitialPayment',
          argument: {
            paymentCid: all[1]?.payment.contractId,
            transferContext: { openMiningRound: open?.contractId },
          },
        },
      ],
    })
  })
})

test('whatever was paid, a name is collected for once at most, and nothing is decided twice', () => {
  const some = fc.record({
    label: fc.constantFrom('a', 'b', 'C', 'd-1'),
    number: fc.constantFrom('6', '7', '8'),
    isOther: fc.boolean(),
    isHeld: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(some, { maxLength: 12 }), (all) => {
      const state = { rules: rulesWith(), acronym, paid: all.map(paid) }
      const judged = judge(state)
      const collected = all.filter((_, at) => judged[at]?.kind === 'collect')
      expect(new Set(collected.map(({ label }) => label)).size).toBe(collected.length)
      for (const { label, number, isOther, isHeld } of collected) {
        expect(label).toMatch(/^[a-z0-9_-]+$/)
        expect([number === '6', isOther, isHeld]).toEqual([false, false, false])
      }
      // A payment waits for one of two reasons: another payment for the same name is collected, or the payment is not
      // for the name service.
      for (const [at, { label, isOther }] of all.entries()) {
        if (judged[at]?.kind !== 'wait' || isOther) continue
        expect(collected.map((each) => each.label)).toContain(label)
      }
      const submissions = decideInitialPayments(state, epoch)
      expect(decideInitialPayments(state, epoch)).toEqual(submissions)
      expect(new Set(submissions.map(({ commandId }) => commandId)).size).toBe(submissions.length)
      expect(submissions).toHaveLength(judged.filter(({ kind }) => kind !== 'wait').length)
    }),
  )
})
