import type { ContractId, Party } from '../../value.ts'
import type { Decimal } from '../decimal.ts'
import { amuletPackage } from '../packages.ts'
import { type ChoiceActions, defineTemplate, nonconsuming } from '../template.ts'
import { decimalType, int64, list, optional, party, record, relTime, time, type ValueOf } from '../type.ts'

export const transferConfig = record({
  createFee: record({ fee: decimalType }),
  holdingFee: record({ rate: decimalType }),
  transferFee: record({
    initialRate: decimalType,
    steps: list(record({ _1: decimalType, _2: decimalType })),
  }),
  lockHolderFee: record({ fee: decimalType }),
  extraFeaturedAppRewardAmount: decimalType,
  maxNumInputs: int64,
  maxNumOutputs: int64,
  maxNumLockHolders: int64,
  tokenStandardMaxTTL: optional(relTime),
})
export type TransferConfig = ValueOf<typeof transferConfig>

export const issuanceConfig = record({
  amuletToIssuePerYear: decimalType,
  validatorRewardPercentage: decimalType,
  appRewardPercentage: decimalType,
  validatorRewardCap: decimalType,
  featuredAppRewardCap: decimalType,
  unfeaturedAppRewardCap: decimalType,
  optValidatorFaucetCap: optional(decimalType),
  optDevelopmentFundPercentage: optional(decimalType),
})
export type IssuanceConfig = ValueOf<typeof issuanceConfig>

export const round = record({ number: int64 })
export type Round = ValueOf<typeof round>

const argument = record({
  dso: party,
  round,
  amuletPrice: decimalType,
  opensAt: time,
  targetClosesAt: time,
  issuingFor: relTime,
  transferConfigUsd: transferConfig,
  issuanceConfig,
  tickDuration: relTime,
  trafficPrice: optional(decimalType),
})
export type OpenMiningRoundArgument = ValueOf<typeof argument>

export const OpenMiningRound = defineTemplate('Splice.Round:OpenMiningRound', {
  package: amuletPackage,
  argument,
  signatories: ({ dso }) => [dso],
  indexed: { round: ['round', 'number'] },
})

const OpenMiningRound_Fetch = nonconsuming(OpenMiningRound, 'OpenMiningRound_Fetch', {
  argument: record({ p: party }),
  controllers: (_, { p }) => [p],
  run: (_scope, { argument }) => argument,
})

/**
 * Only the DSO (the party of all super validators) is a stakeholder of a round. A submission of
 * another party must therefore disclose the round (`Submission.disclosed`).
 */
export function readRound(
  scope: ChoiceActions,
  contractId: ContractId,
  reader: Party,
): OpenMiningRoundArgument {
  return scope.exercise(OpenMiningRound_Fetch, contractId, { p: reader })
}

/** Splice's `AmuletCreateSummary`. */
type AmuletSummary = {
  readonly amulet: ContractId
  readonly amuletPrice: Decimal
  readonly round: Round
}

export function summaryOf(amulet: ContractId, open: OpenMiningRoundArgument): AmuletSummary {
  return { amulet, amuletPrice: open.amuletPrice, round: open.round }
}
