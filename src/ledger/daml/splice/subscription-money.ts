import type { ContractId } from '../../value.ts'
import { type Decimal, divide, zero } from '../decimal.ts'
import { partySet } from '../parties.ts'
import { fail } from '../refused.ts'
import type { ChoiceActions } from '../template.ts'
import { later, microsOf, timeOf } from '../time.ts'
import { LockedAmulet_UnlockV2 } from './amulet.ts'
import { AmuletRules_Transfer } from './amulet-rules.ts'
import { type OpenMiningRoundArgument, type Round, readRound } from './round.ts'
import type { AppTransferContext, PayData, Payment, SubscriptionData } from './subscription.ts'

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
export function lockAndMakeChange(
  scope: ChoiceActions,
  { sender, receiver, provider, dso, description }: SubscriptionData,
  payData: PayData,
  { inputs, context: { amuletRules, context }, walletProvider }: Payment,
): LockedPayment {
  const open = readRound(scope, dso, context.openMiningRound, sender)
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
  const [locked] = createdAmulets
  if (locked?.tag !== 'TransferResultLockedAmulet')
    throw new TypeError('a locked output made no locked amulet')
  return { lockedAmulet: locked.value, senderChange: senderChangeAmulet, targetAmount, round }
}

export function unlockAndTransfer(
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
  const [amulet] = createdAmulets
  if (amulet?.tag !== 'TransferResultAmulet') throw new TypeError('an output without a lock made no amulet')
  return amulet.value
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
