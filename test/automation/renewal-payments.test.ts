import { expect, test } from 'vitest'
import { decideTerminations } from '../../src/automation/expiry.ts'
import { decideRenewalPayments, type PaidRenewal } from '../../src/automation/renewal-payments.ts'
import { AnsEntry, AnsEntryContext } from '../../src/ledger/daml/splice/ans.ts'
import { TerminatedSubscription } from '../../src/ledger/daml/splice/subscription.ts'
import { SubscriptionPayment } from '../../src/ledger/daml/splice/subscription-renewal.ts'
import { timeOf } from '../../src/ledger/daml/time.ts'
import { cid, contract, dso, epoch, idleState, rulesWith } from './contracts.ts'

const user = `alice::1220${'a'.repeat(64)}`
const held = { dso, user, name: 'alice.unverified.cns', url: '', description: '' }
const expiresAt = epoch + 1
const entry = contract(AnsEntry, { ...held, expiresAt: timeOf(expiresAt) })
const context = contract(AnsEntryContext, { ...held, reference: cid() })

function paid(number: string): PaidRenewal {
  const { nextPaymentDueAt, ...state } = idleState({ dueAt: expiresAt, sender: user }).argument
  const payment = contract(SubscriptionPayment, {
    ...state,
    thisPaymentDueAt: nextPaymentDueAt,
    targetAmount: '200.0',
    lockedAmulet: cid(),
    round: { number },
  })
  return {
    payment,
    context,
    entry: { contractId: entry.contractId, name: held.name, user, expiresAt, contract: entry },
  }
}

test('a renewal is collected in the round in which it was paid', () => {
  const rules = rulesWith()
  const one = paid('7')
  expect(decideRenewalPayments({ rules, paid: [one] }, epoch)).toMatchObject([
    {
      commandId: `collect-renewal-payment:${one.payment.contractId}`,
      actAs: [dso],
      commands: [
        {
          choice: 'AnsEntryContext_CollectEntryRenewalPayment',
          contractId: context.contractId,
          argument: {
            paymentCid: one.payment.contractId,
            entryCid: entry.contractId,
            transferContext: { openMiningRound: rules.rounds[0]?.contractId },
            ansRulesCid: rules.ansRules?.contractId,
          },
        },
      ],
    },
  ])
})

test('a renewal is left alone whose round is over, whose entry is gone, or that is of no name', () => {
  const all = [paid('6'), { ...paid('7'), entry: undefined }, { ...paid('7'), context: undefined }]
  expect(decideRenewalPayments({ rules: rulesWith(), paid: all }, epoch)).toEqual([])
})

test('the contracts of an ended subscription go with it, and contracts of no name stay', () => {
  const { subscriptionData, reference } = idleState({ dueAt: epoch }).argument
  const terminated = contract(TerminatedSubscription, { subscriptionData, reference })
  const ended = [
    { terminated, context },
    { terminated, context: undefined },
  ]
  expect(decideTerminations({ dso, ended })).toMatchObject([
    {
      commandId: `terminate-context:${context.contractId}`,
      actAs: [dso],
      commands: [
        {
          choice: 'AnsEntryContext_Terminate',
          contractId: context.contractId,
          argument: { actor: dso, terminatedSubscriptionCid: terminated.contractId },
        },
      ],
    },
  ])
})
