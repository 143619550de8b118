import { compare, decimal } from '../decimal.ts'
import { amuletPackage } from '../packages.ts'
import { fail, require } from '../refused.ts'
import { defineTemplate, nonconsuming } from '../template.ts'
import { isLongerThanNothing } from '../time.ts'
import { contractId, decimalType, optional, party, record, text } from '../type.ts'
import { Amulet, coin } from './amulet.ts'
import { type AmuletConfig, amuletRulesArgument } from './amulet-config.ts'
import { fetchOf } from './groups.ts'
import { OpenMiningRound, summaryOf } from './round.ts'
import { executeTransfer, transfer, transferContext, transferControllers } from './transfer.ts'

const mostTapped = decimal('100000000')

/**
 * The DSO's contract whose choices create and transfer coin. The DSO is the party of all super
 * validators together.
 */
export const AmuletRules = defineTemplate('Splice.AmuletRules:AmuletRules', {
  package: amuletPackage,
  argument: amuletRulesArgument,
  signatories: ({ dso }) => [dso],
  ensure: ({ configSchedule: { initialValue, futureValues } }) =>
    futureValues.length === 0 && isValid(initialValue),
})

export const AmuletRules_Transfer = nonconsuming(AmuletRules, 'AmuletRules_Transfer', {
  argument: record({ transfer, context: transferContext, expectedDso: optional(party) }),
  controllers: (_, { transfer }) => transferControllers(transfer),
  run(scope, { argument: { dso } }, { transfer, context, expectedDso }) {
    if (expectedDso === null) fail('Expected DSO party not set by caller.')
    if (expectedDso !== dso)
      fail(`DSO party expected by caller '${expectedDso}' does not match actual DSO party '${dso}'`)
    return executeTransfer(scope, dso, context, transfer)
  },
})

export const AmuletRules_Mint = nonconsuming(AmuletRules, 'AmuletRules_Mint', {
  argument: record({ receiver: party, amount: decimalType, openRound: contractId, reason: optional(text) }),
  controllers: ({ argument: { dso } }, { receiver }) => [dso, receiver],
  run(scope, { argument: { dso, isDevNet } }, { receiver, amount, openRound }) {
    require('isDevNet flag is true', isDevNet)
    const open = fetchOf(scope, OpenMiningRound, openRound, { dso }).argument
    const amulet = scope.create(Amulet, coin(open, receiver, amount))
    return { amuletSum: summaryOf(amulet, open) }
  },
})

export const AmuletRules_DevNet_Tap = nonconsuming(AmuletRules, 'AmuletRules_DevNet_Tap', {
  argument: record({ receiver: party, amount: decimalType, openRound: contractId }),
  controllers: (_, { receiver }) => [receiver],
  run(scope, { contractId, argument: { isDevNet } }, { receiver, amount, openRound }) {
    require('isDevNet flag is true', isDevNet)
    require('Tapped amount <= 100,000,000', compare(amount, mostTapped) <= 0)
    const reason = 'tapped DevNet faucet'
    const { amuletSum } = scope.exercise(AmuletRules_Mint, contractId, {
      receiver,
      amount,
      openRound,
      reason,
    })
    return { amuletSum, meta: null }
  },
})

function isValid({ tickDuration, transferConfig }: AmuletConfig): boolean {
  const { maxNumInputs, maxNumOutputs, maxNumLockHolders } = transferConfig
  return (
    isLongerThanNothing(tickDuration) &&
    [maxNumInputs, maxNumOutputs, maxNumLockHolders].every((most) => BigInt(most) > 0n)
  )
}
