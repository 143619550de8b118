import { type ContractId, type Party, partySet } from '../../value.ts'
import { type Decimal, divide, zero } from '../decimal.ts'
import { paymentsPackage } from '../packages.ts'
import { fail, require } from '../refused.ts'
import { type ChoiceActions, consuming, defineTemplate } from '../template.ts'
import { later, microsOf, timeOf } from '../time.ts'
import {
  contractId,
  decimalType,
  enumeration,
  list,
  optional,
  party,
  record,
  relTime,
  text,
  time,
  unit,
  type ValueOf,
} from '../type.ts'
import { LockedAmulet_UnlockV2 } from './amulet.ts'
import { AmuletRules_Transfer, transferContext, transferInput } from './amulet-rules.ts'
import { type OpenMiningRoundArgument, type Round, readRound, round, summaryOf } from './round.ts'

const subscriptionData = record({
  sender: party,
  receiver: party,
  provider: party,
  dso: party,
  description: text,
})
type SubscriptionData = ValueOf<typeof subscriptionData>

const payData = record({
  paymentAmount: record({ amount: decimalType, unit: enumeration('USDUnit', 'AmuletUnit', 'ExtUnit') }),
  paymentInterval: relTime,
  paymentDuration: relTime,
})
export type PayData = ValueOf<typeof payData>

export const appTransferContext = record({
  amuletRules: contractId,
  openMiningRound: contractId,
  featuredAppRight: optional(contractId),
})
export type AppTransferContext = ValueOf<typeof appTransferContext>

const payment = record({
  inputs: list(transferInput),
  context: record({ amuletRules: contractId, context: transferContext }),
  walletProvider: party,
})
export type Payment = ValueOf<typeof payment>

const collection = record({ transferContext: appTransferContext })

/** What the templates of this module have in common. */
const common = {
  package: paymentsPackage,
  signatories({ subscriptionData: data }: { readonly subscriptionData: SubscriptionData }): readonly Party[] {
    return [data.sender, data.receiver, data.provider]
  },
  indexed: { sender: ['subscriptionData', 'sender'] },
}
/** All contracts of a subscription have the contract id of its first `SubscriptionRequest` as `reference`. */
const indexed = { ...common.indexed, reference: ['reference'] }

const argument = record({ subscriptionData, reference: contractId })

/**
 * A subscription, from its first collected payment to its end. Its state is a
 * `SubscriptionIdleState` or a `SubscriptionPayment`; these contracts replace each other.
 */
export const Subscription = defineTemplate('Splice.Wallet.Subscriptions:Subscription', {
  ...common,
  argument,
  indexed,
})

/** The proof that a subscription, or a request for one, has ended. */
export const TerminatedSubscription = defineTemplate('Splice.Wallet.Subscriptions:TerminatedSubscription', {
  ...common,
  argument,
  indexed,
})

const Subscription_Archive = consuming(Subscription, 'Subscription_Archive', {
  argument: unit,
  controllers: ({ signatories }) => signatories,
  run: (scope, { argument }) => ({ terminatedSubscription: scope.create(TerminatedSubscription, argument) }),
})

export const SubscriptionIdleState = defineTemplate('Splice.Wallet.Subscriptions:SubscriptionIdleState', {
  ...common,
  argument: record({
    subscription: contractId,
    subscriptionData,
    payData,
    nextPaymentDueAt: time,
    reference: contractId,
  }),
  indexed: { ...indexed, subscription: ['subscription'] },
  dueField: 'nextPaymentDueAt',
})

export const SubscriptionPayment = defineTemplate('Splice.Wallet.Subscriptions:SubscriptionPayment', {
  ...common,
  argument: record({
    subscription: contractId,
    subscriptionData,
    payData,
    thisPaymentDueAt: time,
    targetAmount: decimalType,
    lockedAmulet: contractId,
    round,
    reference: contractId,
  }),
  indexed: { ...indexed, subscription: ['subscription'] },
})

/**
 * As in Splice, a payment after the due date is permitted too, because a provider may grant extra
 * time.
 */
export const SubscriptionIdleState_MakePayment = consuming(
  SubscriptionIdleState,
  'SubscriptionIdleState_MakePayment',
  {
    argument: payment,
    controllers: ({ argument: { subscriptionData } }, { walletProvider }) => [
      subscriptionData.sender,
      walletProvider,
    ],
    run(scope, { argument: { nextPaymentDueAt: thisPaymentDueAt, reference, ...subscribed } }, payment) {
      const { subscriptionData, payData } = subscribed
      const earliest = later(scope.now, payData.paymentDuration)
      const isClose = earliest >= microsOf(thisPaymentDueAt)
      require('The next due date is close enough to make the next payment.', isClose)
      const { senderChange, ...locked } = lockAndMakeChange(scope, subscriptionData, payData, payment)
      const paid = { ...subscribed, thisPaymentDueAt, ...locked, reference }
      return { subscriptionPayment: scope.create(SubscriptionPayment, paid), senderChange }
    },
  },
)

export const SubscriptionIdleState_ExpireSubscription = consuming(
  SubscriptionIdleState,
  'SubscriptionIdleState_ExpireSubscription',
  {
    argument: record({ actor: party }),
    controllers: (_, { actor }) => [actor],
    run(scope, { argument: { subscription, nextPaymentDueAt } }) {
      require('Last subscription payment was missed', microsOf(nextPaymentDueAt) < scope.now)
      return scope.exercise(Subscription_Archive, subscription, {})
    },
  },
)

export const SubscriptionIdleState_CancelSubscription = consuming(
  SubscriptionIdleState,
  'SubscriptionIdleState_CancelSubscription',
  {
    argument: unit,
    controllers: ({ argument: { subscriptionData } }) => [subscriptionData.sender],
    run: (scope, { argument: { subscription } }) => scope.exercise(Subscription_Archive, subscription, {}),
  },
)

/**
 * The next due date is computed from `thisPaymentDueAt`, not from the time of the payment, so due
 * dates never drift.
 */
export const SubscriptionPayment_Collect = consuming(SubscriptionPayment, 'SubscriptionPayment_Collect', {
  argument: collection,
  controllers: ({ signatories }) => signatories,
  run(scope, { argument }, { transferContext }) {
    const { subscription, subscriptionData, payData, thisPaymentDueAt, round, reference } = argument
    const open = readRound(scope, transferContext.openMiningRound, subscriptionData.provider)
    requireRound('payment', round, open)
    const nextPaymentDueAt = timeOf(later(microsOf(thisPaymentDueAt), payData.paymentInterval))
    const idle = { subscription, subscriptionData, payData, nextPaymentDueAt, reference }
    const subscriptionState = scope.create(SubscriptionIdleState, idle)
    const amulet = unlockAndTransfer(scope, subscriptionData, transferContext, argument)
    return { subscriptionState, amulet }
  },
})

/**
 * The first payment of a subscription. Its coin stays locked until the payment is collected or
 * rejected.
 */
export const SubscriptionInitialPayment = defineTemplate(
  'Splice.Wallet.Subscriptions:SubscriptionInitialPayment',
  {
    ...common,
    argument: record({
      subscriptionData,
      payData,
      targetAmount: decimalType,
      lockedAmulet: contractId,
      round,
      reference: contractId,
    }),
    indexed,
  },
)

export const SubscriptionInitialPayment_Collect = consuming(
  SubscriptionInitialPayment,
  'SubscriptionInitialPayment_Collect',
  {
    argument: collection,
    controllers: ({ signatories }) => signatories,
    run(scope, { argument }, { transferContext }) {
      const { subscriptionData, payData, round, reference } = argument
      const open = readRound(scope, transferContext.openMiningRound, subscriptionData.provider)
      requireRound('request', round, open)
      const subscription = scope.create(Subscription, { subscriptionData, reference })
      const nextPaymentDueAt = timeOf(later(scope.now, payData.paymentInterval))
      const idle = { subscription, subscriptionData, payData, nextPaymentDueAt, reference }
      const subscriptionState = scope.create(SubscriptionIdleState, idle)
      const amulet = unlockAndTransfer(scope, subscriptionData, transferContext, argument)
      return { subscription, subscriptionState, amulet }
    },
  },
)

export const SubscriptionInitialPayment_Reject = consuming(
  SubscriptionInitialPayment,
  'SubscriptionInitialPayment_Reject',
  {
    argument: collection,
    controllers: ({ argument: { subscriptionData } }) => [subscriptionData.receiver],
    run(scope, { argument: { subscriptionData, lockedAmulet, reference } }, { transferContext }) {
      scope.create(TerminatedSubscription, { subscriptionData, reference })
      const { amuletCid } = scope.exercise(LockedAmulet_UnlockV2, lockedAmulet, {})
      const open = readRound(scope, transferContext.openMiningRound, subscriptionData.sender)
      return { amuletSum: summaryOf(amuletCid, open) }
    },
  },
)

export const SubscriptionRequest = defineTemplate('Splice.Wallet.Subscriptions:SubscriptionRequest', {
  ...common,
  argument: record({ subscriptionData, payData }),
})

export const SubscriptionRequest_AcceptAndMakePayment = consuming(
  SubscriptionRequest,
  'SubscriptionRequest_AcceptAndMakePayment',
  {
    argument: payment,
    controllers: ({ argument: { subscriptionData } }, { walletProvider }) => [
      subscriptionData.sender,
      walletProvider,
    ],
    run(scope, { contractId: reference, argument }, payment) {
      const { subscriptionData, payData } = argument
      const { senderChange, ...locked } = lockAndMakeChange(scope, subscriptionData, payData, payment)
      const paid = { ...argument, ...locked, reference }
      return { subscriptionPayment: scope.create(SubscriptionInitialPayment, paid), senderChange }
    },
  },
)

export const SubscriptionRequest_Reject = consuming(SubscriptionRequest, 'SubscriptionRequest_Reject', {
  argument: unit,
  controllers: ({ argument: { subscriptionData } }) => [subscriptionData.sender],
  run(scope, { contractId: reference, argument: { subscriptionData } }) {
    return { terminatedSubscription: scope.create(TerminatedSubscription, { subscriptionData, reference }) }
  },
})

interface LockedPayment {
  readonly lockedAmulet: ContractId
  readonly senderChange: ContractId | null
  readonly targetAmount: Decimal
  readonly round: Round
}

/**
 * Locks as much of the sender's coin as the payment costs, and gives back the change. The lock
 * lasts until the round's `targetClosesAt`, and for at least one `tickDuration` from now.
 */
function lockAndMakeChange(
  scope: ChoiceActions,
  { sender, receiver, provider, dso, description }: SubscriptionData,
  payData: PayData,
  { inputs, context: { amuletRules, context }, walletProvider }: Payment,
): LockedPayment {
  const open = readRound(scope, context.openMiningRound, sender)
  const targetAmount =
    amountDue(payData, open) ?? fail('ExtUnit: bare extension constructors are not allowed at runtime')
  const expiresAt = timeOf(Math.max(later(scope.now, open.tickDuration), microsOf(open.targetClosesAt)))
  const lock = {
    holders: partySet([provider, receiver]),
    expiresAt,
    optContext: `amulet-subscription: ${description}`,
  }
  const outputs = [{ receiver: sender, receiverFeeRatio: zero, amount: targetAmount, lock }]
  const { createdAmulets, senderChangeAmulet, round } = scope.exercise(AmuletRules_Transfer, amuletRules, {
    transfer: { sender, provider: walletProvider, inputs, outputs },
    context,
    expectedDso: dso,
  })
  return { targetAmount, lockedAmulet: onlyOf(createdAmulets), senderChange: senderChangeAmulet, round }
}

function unlockAndTransfer(
  scope: ChoiceActions,
  { sender, receiver, provider, dso }: SubscriptionData,
  { amuletRules, openMiningRound, featuredAppRight }: AppTransferContext,
  { targetAmount, lockedAmulet }: Pick<LockedPayment, 'targetAmount' | 'lockedAmulet'>,
): ContractId {
  const { amuletCid } = scope.exercise(LockedAmulet_UnlockV2, lockedAmulet, {})
  const { createdAmulets } = scope.exercise(AmuletRules_Transfer, amuletRules, {
    transfer: {
      sender,
      provider,
      inputs: [{ tag: 'InputAmulet', value: amuletCid }],
      outputs: [{ receiver, receiverFeeRatio: zero, amount: targetAmount, lock: null }],
    },
    context: { openMiningRound, issuingMiningRounds: [], validatorRights: [], featuredAppRight },
    expectedDso: dso,
  })
  return onlyOf(createdAmulets)
}

function onlyOf([amulet]: readonly { readonly value: ContractId }[]): ContractId {
  if (amulet === undefined) throw new TypeError('an output made no amulet')
  return amulet.value
}

function requireRound(what: 'request' | 'payment', { number }: Round, open: OpenMiningRoundArgument): void {
  const now = open.round.number
  require(`Round at subscription ${what} ${number} matches round at collection ${now}`, number === now)
}

export function amountDue(
  { paymentAmount: { amount, unit } }: PayData,
  { amuletPrice }: OpenMiningRoundArgument,
): Decimal | undefined {
  switch (unit) {
    case 'USDUnit':
      return divide(amount, amuletPrice)
    case 'AmuletUnit':
      return amount
    case 'ExtUnit':
      return undefined
  }
}
