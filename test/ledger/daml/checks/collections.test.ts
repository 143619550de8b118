import { expect, test } from 'vitest'
import {
  AnsEntry,
  AnsEntryContext,
  AnsEntryContext_CollectInitialEntryPayment,
  AnsRules,
  AnsRules_CollectEntryRenewalPayment,
  AnsRules_CollectInitialEntryPayment,
} from '../../../../src/ledger/daml/splice/ans.ts'
import {
  SubscriptionInitialPayment,
  SubscriptionInitialPayment_Collect,
} from '../../../../src/ledger/daml/splice/subscription-initial-payment.ts'
import { SubscriptionPayment } from '../../../../src/ledger/daml/splice/subscription-renewal.ts'
import { microsOf, timeOf } from '../../../../src/ledger/daml/time.ts'
import { create, exercise, tree } from '../memory-ledger.ts'
import { alice, bob, day, done, dso, minute, Network, refusal, unmet } from '../network.ts'
import { expiry, name, paid, renewing } from './stages.ts'

test("coin of another round's time than that of the payment is not collected", () => {
  const network = paid()
  network.advance(10 * minute)
  network.nextRound()
  expect(refusal(network.collect())).toBe(
    unmet('Round at subscription request 1 matches round at collection 2'),
  )
  expect(tree(network.rejectPayment())).toContain('      LockedAmulet_UnlockV2')
})

test("a renewal of another round's time than that of the payment is not collected", () => {
  const network = new Network()
  network.register(alice, name)
  network.advance(61 * day)
  done(network.renew(alice))
  network.nextRound()
  network.advance(day)
  expect(refusal(network.collectRenewal())).toBe(
    unmet('Round at subscription payment 2 matches round at collection 3'),
  )
})

test('the checks of an initial payment come in their order: DSO, sender, user, reference', () => {
  const network = paid()
  done(network.tap(bob, '200'))
  done(network.request(bob, 'bob.unverified.cns'))
  done(network.accept(bob))
  const [mine, theirs] = network.ledger.list(SubscriptionInitialPayment)
  if (mine === undefined || theirs === undefined) throw new Error('two payments')
  const collect = (user: string, payment: typeof mine, context: typeof mine) =>
    refusal(
      network.ledger.submit(
        { actAs: [dso, alice, bob] },
        exercise(AnsRules_CollectInitialEntryPayment, network.ansRules, {
          user,
          entryContext: network.contextOf(context),
          paymentCid: payment.contractId,
          transferContext: network.transferContext,
        }),
      ),
    )
  expect(collect(bob, mine, mine)).toBe(unmet('Sender matches'))
  expect(collect(alice, mine, theirs)).toBe(unmet('User matches'))
  done(network.request(alice, 'alice-2.unverified.cns'))
  done(network.accept(alice))
  const second = network.ledger.list(SubscriptionInitialPayment).at(-1) as typeof mine
  expect(collect(alice, second, mine)).toBe(unmet('Subscription reference matches'))
})

test('a payment to another provider than the DSO is not for a name', () => {
  const network = paid()
  const payment = network.ledger.only(SubscriptionInitialPayment)
  const { argument } = payment
  const subscriptionData = { ...argument.subscriptionData, provider: bob }
  const foreign = create(SubscriptionInitialPayment, { ...argument, subscriptionData })
  done(network.ledger.submit({ actAs: [alice, bob, dso] }, foreign))
  expect(refusal(network.collect(network.ledger.list(SubscriptionInitialPayment).at(-1)))).toBe(
    unmet('matching DSO party'),
  )
})

test("another DSO's rules do not take a context of this one", () => {
  const network = paid()
  const { argument } = network.ledger.only(AnsRules)
  done(network.ledger.submit({ actAs: [bob] }, create(AnsRules, { ...argument, dso: bob })))
  const payment = network.ledger.only(SubscriptionInitialPayment)
  const { subscriptionData } = payment.argument
  const toBob = { ...subscriptionData, provider: bob }
  const forged = create(SubscriptionInitialPayment, { ...payment.argument, subscriptionData: toBob })
  const [node] = done(network.ledger.submit({ actAs: [alice, bob, dso] }, forged)).nodes
  const collect = exercise(
    AnsRules_CollectInitialEntryPayment,
    network.ledger.list(AnsRules).at(-1)?.contractId ?? '',
    {
      user: alice,
      entryContext: network.contextOf(payment),
      paymentCid: node?.kind === 'create' ? node.contract.contractId : '',
      transferContext: network.transferContext,
    },
  )
  expect(refusal(network.ledger.submit({ actAs: [alice, bob], readAs: [dso] }, collect))).toBe(
    unmet('matching DSO party'),
  )
})

test('an initial payment is collected once', () => {
  const network = paid()
  const payment = network.ledger.only(SubscriptionInitialPayment)
  done(network.collect(payment))
  expect(refusal(network.collect(payment))).toMatch(/^CONTRACT_NOT_FOUND: /)
})

test('a renewal is collected only for an entry that matches its context, is in time and not expired', () => {
  const network = renewing()
  const payment = network.ledger.only(SubscriptionPayment)
  const entry = network.ledger.only(AnsEntry)
  const other = (change: Partial<typeof entry.argument>) => {
    const made = network.ledger.submit(
      { actAs: [alice, bob, dso] },
      create(AnsEntry, { ...entry.argument, ...change }),
    )
    const [node] = done(made).nodes
    return node?.kind === 'create' ? node.contract.contractId : ''
  }
  const mismatch = unmet('Current entry matches subscription context')
  const late = timeOf(expiry(network) + 1)
  for (const change of [{ user: bob }, { name: 'x' }, { url: 'x' }, { description: 'x' }]) {
    expect(refusal(network.collectRenewal(payment, other({ ...change, expiresAt: late })))).toBe(mismatch)
  }
  expect(refusal(network.collectRenewal(payment, other({ expiresAt: late })))).toBe(
    unmet('Subscription entry renewal times are in sync'),
  )
  network.ledger.now = microsOf(entry.argument.expiresAt)
  expect(refusal(network.collectRenewal(payment, entry.contractId))).toBe(
    unmet('Current entry is not expired'),
  )
  network.ledger.now -= 1
  expect(refusal(network.collectRenewal(payment, entry.contractId))).not.toMatch(/expired/)
})

test('a renewal begins with the checks of its payment and its context', () => {
  const network = renewing()
  const payment = network.ledger.only(SubscriptionPayment)
  done(network.request(bob, name))
  const [, foreign] = network.ledger.list(AnsEntryContext)
  const collect = (user: string, entryContext: string) =>
    refusal(
      network.ledger.submit(
        { actAs: [dso, alice, bob] },
        exercise(AnsRules_CollectEntryRenewalPayment, network.ansRules, {
          user,
          entryContext,
          paymentCid: payment.contractId,
          entryCid: network.ledger.only(AnsEntry).contractId,
          transferContext: network.transferContext,
        }),
      ),
    )
  expect(collect(bob, foreign?.contractId ?? '')).toBe(unmet('Sender matches'))
  expect(collect(alice, foreign?.contractId ?? '')).toBe(unmet('User matches'))
  done(network.request(alice, name))
  const own = network.ledger.list(AnsEntryContext).at(-1)
  expect(collect(alice, own?.contractId ?? '')).toBe(unmet('Subscription reference matches'))
})

test('only the receiver rejects, and only all signatories together collect', () => {
  const network = paid()
  const { contractId } = network.ledger.only(SubscriptionInitialPayment)
  const { transferContext } = network
  for (const party of [alice, dso]) {
    const collect = exercise(SubscriptionInitialPayment_Collect, contractId, { transferContext })
    expect(refusal(network.ledger.submit(network.as(party), collect))).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  }
  const collectByUser = exercise(
    AnsEntryContext_CollectInitialEntryPayment,
    network.ledger.only(AnsEntryContext).contractId,
    { paymentCid: contractId, transferContext, ansRulesCid: network.ansRules },
  )
  expect(refusal(network.ledger.submit(network.as(alice), collectByUser))).toMatch(
    /^DAML_AUTHORIZATION_ERROR: /,
  )
})
