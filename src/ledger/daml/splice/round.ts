import type { ContractId, Party } from '../../value.ts'
import { type Decimal, isPositive } from '../decimal.ts'
import { amuletPackage } from '../packages.ts'
import { type ChoiceActions, defineTemplate, nonconsuming } from '../template.ts'
import { decimalType, int64, optional, party, record, relTime, time, type ValueOf } from '../type.ts'
import { issuanceConfig, transferConfig } from './amulet-config.ts'
import { requireGroup } from './groups.ts'

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
  ensure: ({ round: { number }, amuletPrice }) => isDefinedRound({ number }) && isPositive(amuletPrice),
  indexed: { round: ['round', 'number'] },
})

export const OpenMiningRound_Fetch = nonconsuming(OpenMiningRound, 'OpenMiningRound_Fetch', {
  argument: record({ p: party }),
  controllers: (_, { p }) => [p],
  run: (_scope, { argument }) => argument,
})

export function isDefinedRound({ number }: Round): boolean {
  return BigInt(number) >= 0n
}

/**
 * Only the DSO (the party of all super validators) is a stakeholder of a round. A submission of
 * another party must therefore disclose the round (`Submission.disclosed`).
 */
export function readRound(
  scope: ChoiceActions,
  dso: Party,
  contractId: ContractId,
  reader: Party,
): OpenMiningRoundArgument {
  const open = scope.exercise(OpenMiningRound_Fetch, contractId, { p: reader })
  requireGroup(open, { dso }, contractId)
  return open
}

/** Splice's `AmuletCreateSummary`. */
export type AmuletSummary = {
  readonly amulet: ContractId
  readonly amuletPrice: Decimal
  readonly round: Round
}

export function summaryOf(amulet: ContractId, open: OpenMiningRoundArgument): AmuletSummary {
  return { amulet, amuletPrice: open.amuletPrice, round: open.round }
}
