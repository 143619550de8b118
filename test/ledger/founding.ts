import type { Command } from '../../src/ledger/command.ts'
import { type Decimal, decimal, zero } from '../../src/ledger/daml/decimal.ts'
import type {
  AmuletConfig,
  IssuanceConfig,
  TransferConfig,
} from '../../src/ledger/daml/splice/amulet-config.ts'
import { AmuletRules } from '../../src/ledger/daml/splice/amulet-rules.ts'
import { AnsRules } from '../../src/ledger/daml/splice/ans.ts'
import { OpenMiningRound, type OpenMiningRoundArgument } from '../../src/ledger/daml/splice/round.ts'
import { later, microsOf, type RelTime, timeOf } from '../../src/ledger/daml/time.ts'
import type { ValueOf } from '../../src/ledger/daml/type.ts'
import type { Micros, Party } from '../../src/ledger/value.ts'

export interface Founding {
  readonly dso: Party
  readonly synchronizerId: string
  readonly acronym: string
  readonly amuletPrice: Decimal
  readonly now: Micros
}

const secondUs = 1_000_000
const dayUs = 86_400 * secondUs
const yearUs = 365 * dayUs
const tick = relTime(600 * secondUs)

/**
 * Returns the commands with which the DSO founds a network:
 * - The rules of coin and of names have the defaults of the founding super validator, without fees for holding coin.
 * - The first three rounds are those of `AmuletRules_Bootstrap_Rounds`.
 */
export function foundingCommands(founding: Founding): readonly Command[] {
  const rounds = firstRounds(founding)
  return [
    { kind: 'create', template: AnsRules.name, argument: ansRules(founding) },
    { kind: 'create', template: AmuletRules.name, argument: amuletRules(founding) },
    ...rounds.map((argument): Command => ({ kind: 'create', template: OpenMiningRound.name, argument })),
  ]
}

/**
 * Returns the new round that `AmuletRules_AdvanceOpenMiningRounds` creates when it archives the oldest of three rounds.
 */
export function roundAfter(
  latest: OpenMiningRoundArgument,
  now: Micros,
  amuletPrice: Decimal,
): OpenMiningRoundArgument {
  const { round, tickDuration, issuingFor, opensAt } = latest
  const opens = later(Math.max(now, microsOf(opensAt)), tickDuration)
  return {
    ...latest,
    round: { number: String(BigInt(round.number) + 1n) },
    amuletPrice,
    opensAt: timeOf(opens),
    targetClosesAt: timeOf(later(later(opens, tickDuration), tickDuration)),
    issuingFor: relTime(later(Number(issuingFor.microseconds), tickDuration)),
  }
}

function firstRounds({ dso, amuletPrice, now }: Founding): readonly OpenMiningRoundArgument[] {
  const closes = later(now, tick)
  const first: OpenMiningRoundArgument = {
    dso,
    round: { number: '0' },
    amuletPrice,
    opensAt: timeOf(now),
    targetClosesAt: timeOf(closes),
    issuingFor: relTime(0),
    transferConfigUsd: transferConfig,
    issuanceConfig: issuance('40000000000', '0.05', '0.15'),
    tickDuration: tick,
    trafficPrice: null,
  }
  const second: OpenMiningRoundArgument = {
    ...first,
    round: { number: '1' },
    targetClosesAt: timeOf(later(closes, tick)),
    issuingFor: tick,
  }
  return [first, second, roundAfter(second, now, amuletPrice)]
}

function ansRules({ dso, acronym }: Founding): ValueOf<typeof AnsRules.argument> {
  return {
    dso,
    config: {
      renewalDuration: relTime(30 * dayUs),
      entryLifetime: relTime(90 * dayUs),
      entryFee: decimal('1'),
      descriptionPrefix: `${acronym.toUpperCase()} entry: `,
    },
  }
}

function amuletRules({ dso, synchronizerId }: Founding): ValueOf<typeof AmuletRules.argument> {
  return {
    dso,
    configSchedule: { initialValue: amuletConfig(synchronizerId), futureValues: [] },
    isDevNet: true,
  }
}

function amuletConfig(synchronizerId: string): AmuletConfig {
  return {
    transferConfig,
    issuanceCurve: {
      initialValue: issuance('40000000000', '0.05', '0.15'),
      futureValues: [
        { _1: relTime(yearUs / 2), _2: issuance('20000000000', '0.12', '0.4') },
        { _1: relTime(yearUs * 1.5), _2: issuance('10000000000', '0.18', '0.62') },
        { _1: relTime(yearUs * 5), _2: issuance('5000000000', '0.21', '0.69') },
        { _1: relTime(yearUs * 10), _2: issuance('2500000000', '0.2', '0.75') },
      ],
    },
    decentralizedSynchronizer: {
      requiredSynchronizers: { map: [[synchronizerId, {}]] },
      activeSynchronizer: synchronizerId,
      fees: {
        baseRateTrafficLimits: { burstAmount: '400000', burstWindow: relTime(1200 * secondUs) },
        extraTrafficPrice: decimal('16.67'),
        readVsWriteScalingFactor: '4',
        minTopupAmount: '200000',
      },
    },
    tickDuration: tick,
    packageConfig: {
      amulet: '0.1.22',
      amuletNameService: '0.1.23',
      dsoGovernance: '0.1.29',
      validatorLifecycle: '0.1.8',
      wallet: '0.1.22',
      walletPayments: '0.1.22',
    },
    transferPreapprovalFee: null,
    featuredAppActivityMarkerAmount: null,
    optDevelopmentFundManager: null,
  }
}

const transferConfig: TransferConfig = {
  createFee: { fee: zero },
  holdingFee: { rate: zero },
  transferFee: {
    initialRate: zero,
    steps: ['100', '1000', '1000000'].map((from) => ({ _1: decimal(from), _2: zero })),
  },
  lockHolderFee: { fee: zero },
  extraFeaturedAppRewardAmount: decimal('1'),
  maxNumInputs: '100',
  maxNumOutputs: '100',
  maxNumLockHolders: '50',
  tokenStandardMaxTTL: null,
}

function issuance(perYear: string, validators: string, apps: string): IssuanceConfig {
  return {
    amuletToIssuePerYear: decimal(perYear),
    validatorRewardPercentage: decimal(validators),
    appRewardPercentage: decimal(apps),
    validatorRewardCap: decimal('0.2'),
    featuredAppRewardCap: decimal('1.5'),
    unfeaturedAppRewardCap: decimal('0.6'),
    optValidatorFaucetCap: decimal('2.85'),
    optDevelopmentFundPercentage: null,
  }
}

function relTime(micros: number): RelTime {
  return { microseconds: String(micros) }
}
