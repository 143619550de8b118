import type { ContractId, Party } from '../../value.ts'
import { compare, type Decimal, decimal, isPositive, subtract, sum, zero } from '../decimal.ts'
import { amuletPackage } from '../packages.ts'
import { fail, require, requireReached } from '../refused.ts'
import { type ChoiceActions, defineTemplate, nonconsuming } from '../template.ts'
import { microsOf } from '../time.ts'
import {
  bool,
  contractId,
  decimalType,
  enumeration,
  int64,
  list,
  map,
  optional,
  party,
  record,
  relTime,
  text,
  time,
  unit,
  type ValueOf,
} from '../type.ts'
import { Amulet, coin, LockedAmulet, timeLock } from './amulet.ts'
import {
  issuanceConfig,
  OpenMiningRound,
  type OpenMiningRoundArgument,
  round,
  summaryOf,
  transferConfig,
} from './round.ts'

const synchronizerConfig = record({
  requiredSynchronizers: record({ map: map(text, unit) }),
  activeSynchronizer: text,
  fees: record({
    baseRateTrafficLimits: record({ burstAmount: int64, burstWindow: relTime }),
    extraTrafficPrice: decimalType,
    readVsWriteScalingFactor: int64,
    minTopupAmount: int64,
  }),
})

const packageConfig = record({
  amulet: text,
  amuletNameService: text,
  dsoGovernance: text,
  validatorLifecycle: text,
  wallet: text,
  walletPayments: text,
})

const amuletConfig = record({
  transferConfig,
  issuanceCurve: record({
    initialValue: issuanceConfig,
    futureValues: list(record({ _1: relTime, _2: issuanceConfig })),
  }),
  decentralizedSynchronizer: synchronizerConfig,
  tickDuration: relTime,
  packageConfig,
  transferPreapprovalFee: optional(decimalType),
  featuredAppActivityMarkerAmount: optional(decimalType),
  optDevelopmentFundManager: optional(party),
})
export type AmuletConfig = ValueOf<typeof amuletConfig>

/**
 * The DSO's contract whose choices create and transfer coin. The DSO is the party of all super
 * validators together.
 */
export const AmuletRules = defineTemplate('Splice.AmuletRules:AmuletRules', {
  package: amuletPackage,
  argument: record({
    dso: party,
    configSchedule: record({
      initialValue: amuletConfig,
      futureValues: list(record({ _1: time, _2: amuletConfig })),
    }),
    isDevNet: bool,
  }),
  signatories: ({ dso }) => [dso],
})

const AmuletRules_Mint = nonconsuming(AmuletRules, 'AmuletRules_Mint', {
  argument: record({ receiver: party, amount: decimalType, openRound: contractId, reason: optional(text) }),
  controllers: ({ argument: { dso } }, { receiver }) => [dso, receiver],
  run(scope, _rules, { receiver, amount, openRound }) {
    const open = scope.fetch(OpenMiningRound, openRound).argument
    const amulet = scope.create(Amulet, coin(open, receiver, amount))
    return { amuletSum: summaryOf(amulet, open) }
  },
})

const mostTapped = decimal('100000000')

export const AmuletRules_DevNet_Tap = nonconsuming(AmuletRules, 'AmuletRules_DevNet_Tap', {
  argument: record({ receiver: party, amount: decimalType, openRound: contractId }),
  controllers: (_, { receiver }) => [receiver],
  run(scope, { contractId }, { receiver, amount, openRound }) {
    require('Tapped amount <= 100,000,000', compare(amount, mostTapped) <= 0)
    const mint = { receiver, amount, openRound, reason: 'tapped DevNet faucet' }
    const { amuletSum } = scope.exercise(AmuletRules_Mint, contractId, mint)
    return { amuletSum, meta: null }
  },
})

/** A variant. Splice also permits other inputs, such as rewards. This ledger has only coin. */
export const transferInput = record({ tag: enumeration('InputAmulet'), value: contractId })

const output = record({
  receiver: party,
  receiverFeeRatio: decimalType,
  amount: decimalType,
  lock: optional(timeLock),
})

const transfer = record({
  sender: party,
  provider: party,
  inputs: list(transferInput),
  outputs: list(output),
})

export const transferContext = record({
  openMiningRound: contractId,
  issuingMiningRounds: map(round, contractId),
  validatorRights: map(party, contractId),
  featuredAppRight: optional(contractId),
})

/**
 * Archives the inputs, and creates outputs and change of the same total value. All fees are zero,
 * as in splice-amulet since 0.1.17.
 */
export const AmuletRules_Transfer = nonconsuming(AmuletRules, 'AmuletRules_Transfer', {
  argument: record({ transfer, context: transferContext, expectedDso: optional(party) }),
  controllers: (_, { transfer: { sender, provider, outputs } }) => [
    sender,
    provider,
    ...outputs.flatMap(({ receiver, lock }) => [receiver, ...(lock?.holders ?? [])]),
  ],
  run(scope, _rules, { transfer: { sender, inputs, outputs }, context }) {
    const open = scope.fetch(OpenMiningRound, context.openMiningRound).argument
    requireReached('openRound.opensAt', open.opensAt, microsOf(open.opensAt) <= scope.now)
    const input = sum(inputs.map(({ value }) => consume(scope, sender, value)))
    const change = subtract(input, sum(outputs.map(({ amount }) => amount)))
    if (inputs.length > Number(open.transferConfigUsd.maxNumInputs))
      fail('More than the maximum number of inputs')
    if (compare(change, zero) < 0) {
      fail(`Insufficient funds: you are missing ${subtract(zero, change)} to complete this transfer.`)
    }
    return {
      round: open.round,
      summary: summarize(input, change, outputs.length, open.amuletPrice),
      createdAmulets: outputs.map((out) => createOutput(scope, open, out)),
      senderChangeAmulet: isPositive(change) ? scope.create(Amulet, coin(open, sender, change)) : null,
      meta: null,
    }
  },
})

function consume(scope: ChoiceActions, owner: Party, amulet: ContractId): Decimal {
  const { argument } = scope.fetch(Amulet, amulet)
  require('The input belongs to the sender', argument.owner === owner)
  scope.archive(Amulet, amulet)
  return argument.amount.initialAmount
}

/** A receiver does not hold a lock of its own coin. */
function createOutput(
  scope: ChoiceActions,
  open: OpenMiningRoundArgument,
  { receiver, amount, lock }: ValueOf<typeof output>,
) {
  const amulet = coin(open, receiver, amount)
  if (lock === null) return { tag: 'TransferResultAmulet', value: scope.create(Amulet, amulet) } as const
  const holders = lock.holders.filter((party) => party !== receiver)
  const value = scope.create(LockedAmulet, { amulet, lock: { ...lock, holders } })
  return { tag: 'TransferResultLockedAmulet', value } as const
}

function summarize(input: Decimal, change: Decimal, outputs: number, amuletPrice: Decimal) {
  return {
    inputAppRewardAmount: zero,
    inputValidatorRewardAmount: zero,
    inputSvRewardAmount: zero,
    inputAmuletAmount: input,
    balanceChanges: [],
    holdingFees: zero,
    outputFees: Array.from({ length: outputs }, () => zero),
    senderChangeFee: zero,
    senderChangeAmount: change,
    amuletPrice,
  }
}
