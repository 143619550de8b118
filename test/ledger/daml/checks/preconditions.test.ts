import { expect, test } from 'vitest'
import { decimal } from '../../../../src/ledger/daml/decimal.ts'
import { Amulet, LockedAmulet } from '../../../../src/ledger/daml/splice/amulet.ts'
import { AmuletRules } from '../../../../src/ledger/daml/splice/amulet-rules.ts'
import { AnsRules } from '../../../../src/ledger/daml/splice/ans.ts'
import { OpenMiningRound } from '../../../../src/ledger/daml/splice/round.ts'
import { SubscriptionInitialPayment } from '../../../../src/ledger/daml/splice/subscription-initial-payment.ts'
import {
  SubscriptionIdleState,
  SubscriptionPayment,
} from '../../../../src/ledger/daml/splice/subscription-renewal.ts'
import { SubscriptionRequest } from '../../../../src/ledger/daml/splice/subscription-request.ts'
import { timeOf } from '../../../../src/ledger/daml/time.ts'
import { create } from '../memory-ledger.ts'
import { alice, dso, Network, refusal } from '../network.ts'
import { renewing } from './stages.ts'

test('preconditions of rules, rounds, requests and coin are kept', () => {
  const network = new Network()
  const ans = network.ledger.only(AnsRules).argument
  const amulet = network.ledger.only(AmuletRules).argument
  const round = network.round.argument
  const noTime = { microseconds: '0' }
  const config = amulet.configSchedule.initialValue
  const scheduled = (change: Partial<typeof config>) => ({
    ...amulet,
    configSchedule: { initialValue: { ...config, ...change }, futureValues: [] },
  })
  const coin = {
    dso,
    owner: dso,
    amount: { initialAmount: decimal('1'), createdAt: { number: '0' }, ratePerRound: { rate: decimal('0') } },
  }
  const lock = { holders: [dso], expiresAt: timeOf(network.ledger.now), optContext: null }
  const nothing = { ...coin, amount: { ...coin.amount, initialAmount: decimal('0') } }
  const early = { ...coin, amount: { ...coin.amount, createdAt: { number: '-1' } } }
  const paying = { ...coin, amount: { ...coin.amount, ratePerRound: { rate: decimal('-1') } } }
  const commands = [
    create(AnsRules, { ...ans, config: { ...ans.config, renewalDuration: noTime } }),
    create(AnsRules, { ...ans, config: { ...ans.config, entryLifetime: noTime } }),
    create(AnsRules, { ...ans, config: { ...ans.config, entryFee: decimal('0') } }),
    create(AmuletRules, scheduled({ tickDuration: noTime })),
    create(AmuletRules, scheduled({ transferConfig: { ...config.transferConfig, maxNumInputs: '0' } })),
    create(AmuletRules, {
      ...amulet,
      configSchedule: { initialValue: config, futureValues: [{ _1: timeOf(0), _2: config }] },
    }),
    create(OpenMiningRound, { ...round, round: { number: '-1' } }),
    create(OpenMiningRound, { ...round, amuletPrice: decimal('0') }),
    create(Amulet, nothing),
    create(Amulet, early),
    create(Amulet, paying),
    create(LockedAmulet, { amulet: nothing, lock }),
  ]
  for (const command of commands) {
    expect(refusal(network.ledger.submit({ actAs: [dso] }, command))).toBe(
      `TEMPLATE_PRECONDITION_VIOLATED: The precondition of ${command.template} does not hold`,
    )
  }
})

test('payments without amount, interval or duration cannot be requested', () => {
  const network = renewing()
  const { argument } = network.ledger.only(SubscriptionPayment)
  const { payData, subscriptionData, subscription, reference, thisPaymentDueAt, ...money } = argument
  const none = { microseconds: '0' }
  for (const wrong of [
    { ...payData, paymentAmount: { ...payData.paymentAmount, amount: decimal('0') } },
    { ...payData, paymentInterval: none },
    { ...payData, paymentDuration: none },
  ]) {
    for (const command of [
      create(SubscriptionRequest, { subscriptionData, payData: wrong }),
      create(SubscriptionInitialPayment, { subscriptionData, payData: wrong, reference, ...money }),
      create(SubscriptionPayment, { ...argument, payData: wrong }),
      create(SubscriptionIdleState, {
        subscription,
        subscriptionData,
        payData: wrong,
        nextPaymentDueAt: thisPaymentDueAt,
        reference,
      }),
    ]) {
      expect(refusal(network.ledger.submit({ actAs: [alice, dso] }, command))).toMatch(
        /^TEMPLATE_PRECONDITION_VIOLATED: /,
      )
    }
  }
})
