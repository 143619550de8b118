import type { ContractId, Party } from '../../value.ts'
import { compare, type Decimal, decimal, isPositive, subtract, sum, zero } from '../decimal.ts'
import { partySet } from '../parties.ts'
import { fail, require } from '../refused.ts'
import type { ChoiceActions } from '../template.ts'
import { microsOf } from '../time.ts'
import {
  contractId,
  decimalType,
  list,
  map,
  optional,
  party,
  record,
  type ValueOf,
  variant,
} from '../type.ts'
import { Amulet, coin, LockedAmulet, timeLock } from './amulet.ts'
import { fetchOf, requireAhead, requireReached } from './groups.ts'
import { OpenMiningRound, type OpenMiningRoundArgument, round } from './round.ts'

/** Splice also permits other inputs, such as rewards. This ledger has only coin. */
export const transferInput = variant({ InputAmulet: contractId })

const output = record({
  receiver: party,
  receiverFeeRatio: decimalType,
  amount: decimalType,
  lock: optional(timeLock),
})
type Output = ValueOf<typeof output>

export const transfer = record({
  sender: party,
  provider: party,
  inputs: list(transferInput),
  outputs: list(output),
})
export type Transfer = ValueOf<typeof transfer>

export const transferContext = record({
  openMiningRound: contractId,
  issuingMiningRounds: map(round, contractId),
  validatorRights: map(party, contractId),
  featuredAppRight: optional(contractId),
})
type TransferContext = ValueOf<typeof transferContext>

const one = decimal('1')

export function transferControllers({ sender, provider, outputs }: Transfer): readonly Party[] {
  return [
    sender,
    provider,
    ...outputs.flatMap(({ receiver, lock }) => [receiver, ...(lock === null ? [] : lock.holders)]),
  ]
}

/**
 * Archives the inputs, and creates outputs and change of the same total value. All fees are zero,
 * as in splice-amulet since 0.1.17.
 */
export function executeTransfer(scope: ChoiceActions, dso: Party, context: TransferContext, order: Transfer) {
  const open = fetchOf(scope, OpenMiningRound, context.openMiningRound, { dso }).argument
  requireReached('openRound.opensAt', open.opensAt, microsOf(open.opensAt) <= scope.now)
  const inputs = order.inputs.map(({ value }) => consume(scope, dso, order.sender, value))
  const outputs = order.outputs.map((out) => prepared(scope, open, out))

  const change = subtract(sum(inputs), sum(outputs.map(({ amount }) => amount)))
  const { maxNumInputs, maxNumOutputs } = open.transferConfigUsd
  if (inputs.length > Number(maxNumInputs)) fail('More than the maximum number of inputs')
  if (outputs.length > Number(maxNumOutputs)) fail('More than the maximum number of outputs')
  if (compare(change, zero) < 0) {
    fail(`Insufficient funds: you are missing ${subtract(zero, change)} to complete this transfer.`)
  }

  const createdAmulets = outputs.map((out) => createOutput(scope, open, out))
  const senderChangeAmulet = isPositive(change)
    ? scope.create(Amulet, coin(open, order.sender, change))
    : null
  return {
    round: open.round,
    summary: summarize(sum(inputs), change, outputs.length, open.amuletPrice),
    createdAmulets,
    senderChangeAmulet,
    meta: null,
  }
}

function consume(scope: ChoiceActions, dso: Party, owner: Party, amulet: ContractId): Decimal {
  const { argument } = fetchOf(scope, Amulet, amulet, { dso, owner })
  scope.archive(Amulet, amulet)
  return argument.amount.initialAmount
}

function prepared(scope: ChoiceActions, open: OpenMiningRoundArgument, out: Output): Output {
  const { receiver, receiverFeeRatio, amount } = out
  if (compare(receiverFeeRatio, zero) < 0 || compare(receiverFeeRatio, one) > 0) {
    fail(`Receiver fee ratio ${receiverFeeRatio} is not between 0.0 and 1.0`)
  }
  const lock = out.lock && {
    ...out.lock,
    holders: partySet(out.lock.holders).filter((party) => party !== receiver),
  }
  if (lock !== null) {
    requireAhead('lock.expiresAt', lock.expiresAt, scope.now < microsOf(lock.expiresAt))
    require('Fewer than the allowed number of lock holders', lock.holders.length <=
      Number(open.transferConfigUsd.maxNumLockHolders))
  }
  require('Amount is positive', isPositive(amount))
  return { ...out, lock }
}

function createOutput(
  scope: ChoiceActions,
  open: OpenMiningRoundArgument,
  { receiver, amount, lock }: Output,
) {
  const amulet = coin(open, receiver, amount)
  return lock === null
    ? ({ tag: 'TransferResultAmulet', value: scope.create(Amulet, amulet) } as const)
    : ({ tag: 'TransferResultLockedAmulet', value: scope.create(LockedAmulet, { amulet, lock }) } as const)
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
