import type { AmuletConfig, AmuletRules } from './daml/splice/amulet-rules.ts'
import type { AnsRules } from './daml/splice/ans.ts'
import type { IssuanceConfig, TransferConfig } from './daml/splice/round.ts'
import type { RelTime } from './daml/time.ts'
import type { ContractFrom } from './ledger.ts'
import type { Party } from './value.ts'

const minuteS = 60
const dayS = 86_400
const yearS = 365 * dayS

/** The values are the defaults of a founding super validator (SvAppConfig.scala). */
export function initialAnsRules(dso: Party, acronym: string): ContractFrom<typeof AnsRules>['argument'] {
  return {
    dso,
    config: {
      renewalDuration: relTime(30 * dayS),
      entryLifetime: relTime(90 * dayS),
      entryFee: '1.0',
      descriptionPrefix: `${acronym.toUpperCase()} entry: `,
    },
  }
}

export const transferConfig: TransferConfig = {
  createFee: { fee: '0.0' },
  holdingFee: { rate: '0.0000190259' },
  transferFee: {
    initialRate: '0.0',
    steps: [
      { _1: '100.0', _2: '0.0' },
      { _1: '1000.0', _2: '0.0' },
      { _1: '1000000.0', _2: '0.0' },
    ],
  },
  lockHolderFee: { fee: '0.0' },
  extraFeaturedAppRewardAmount: '1.0',
  maxNumInputs: '100',
  maxNumOutputs: '100',
  maxNumLockHolders: '50',
  tokenStandardMaxTTL: null,
}

export const issuanceCurve: AmuletConfig['issuanceCurve'] = {
  initialValue: issuance('40000000000.0', '0.05', '0.15'),
  futureValues: [
    { _1: relTime(yearS / 2), _2: issuance('20000000000.0', '0.12', '0.4') },
    { _1: relTime(yearS * 1.5), _2: issuance('10000000000.0', '0.18', '0.62') },
    { _1: relTime(yearS * 5), _2: issuance('5000000000.0', '0.21', '0.69') },
    { _1: relTime(yearS * 10), _2: issuance('2500000000.0', '0.2', '0.75') },
  ],
}

/** @param amuletNameService the version of the package `splice-amulet-name-service` in force. */
export function initialAmuletRules(
  dso: Party,
  synchronizerId: string,
  amuletNameService = '0.1.23',
): ContractFrom<typeof AmuletRules>['argument'] {
  const initialValue: AmuletConfig = {
    transferConfig,
    issuanceCurve,
    decentralizedSynchronizer: {
      requiredSynchronizers: { map: [[synchronizerId, {}]] },
      activeSynchronizer: synchronizerId,
      fees: {
        baseRateTrafficLimits: { burstAmount: '400000', burstWindow: relTime(20 * minuteS) },
        extraTrafficPrice: '16.67',
        readVsWriteScalingFactor: '4',
        minTopupAmount: '200000',
      },
    },
    tickDuration: relTime(10 * minuteS),
    packageConfig: {
      amulet: '0.1.24',
      amuletNameService,
      dsoGovernance: '0.1.30',
      validatorLifecycle: '0.1.8',
      wallet: '0.1.24',
      walletPayments: '0.1.22',
    },
    transferPreapprovalFee: null,
    featuredAppActivityMarkerAmount: null,
    optDevelopmentFundManager: null,
  }
  return { dso, configSchedule: { initialValue, futureValues: [] }, isDevNet: true }
}

function issuance(perYear: string, validators: string, apps: string): IssuanceConfig {
  return {
    amuletToIssuePerYear: perYear,
    validatorRewardPercentage: validators,
    appRewardPercentage: apps,
    validatorRewardCap: '0.2',
    featuredAppRewardCap: '1.5',
    unfeaturedAppRewardCap: '0.6',
    optValidatorFaucetCap: '2.85',
    optDevelopmentFundPercentage: null,
  }
}

function relTime(seconds: number): RelTime {
  return { microseconds: String(seconds * 1_000_000) }
}
