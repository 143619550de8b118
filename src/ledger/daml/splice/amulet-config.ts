import {
  bool,
  decimalType,
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

export const amuletRulesArgument = record({
  dso: party,
  configSchedule: record({
    initialValue: amuletConfig,
    futureValues: list(record({ _1: time, _2: amuletConfig })),
  }),
  isDevNet: bool,
})
