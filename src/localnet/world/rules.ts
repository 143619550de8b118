import type { Contract } from './contract.ts'

function relTime(seconds: number): { readonly microseconds: string } {
  return { microseconds: String(seconds * 1_000_000) }
}

const dayS = 86_400
const yearS = 365 * dayS

/**
 * Returns the payload of `AnsRules`, the rules for names, with the defaults of Splice's app for
 * super validators.
 */
export function ansRules(dso: string, acronym: string): Contract['payload'] {
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

export const transferConfig: Contract['payload'] = {
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
}

function issuance(perYear: string, validators: string, apps: string): Contract['payload'] {
  return {
    amuletToIssuePerYear: perYear,
    validatorRewardPercentage: validators,
    appRewardPercentage: apps,
    validatorRewardCap: '0.2',
    featuredAppRewardCap: '1.5',
    unfeaturedAppRewardCap: '0.6',
    optValidatorFaucetCap: '2.85',
  }
}

export const currentIssuance = issuance('40000000000.0', '0.05', '0.15')

/** @param amuletNameService the version of the package `splice-amulet-name-service` in force. */
export function amuletRules(
  dso: string,
  synchronizer: string,
  amuletNameService: string,
): Contract['payload'] {
  return {
    dso,
    configSchedule: {
      initialValue: {
        transferConfig,
        issuanceCurve: {
          initialValue: currentIssuance,
          futureValues: [
            { _1: relTime(yearS / 2), _2: issuance('20000000000.0', '0.12', '0.4') },
            { _1: relTime(yearS * 1.5), _2: issuance('10000000000.0', '0.18', '0.62') },
            { _1: relTime(yearS * 5), _2: issuance('5000000000.0', '0.21', '0.69') },
            { _1: relTime(yearS * 10), _2: issuance('2500000000.0', '0.2', '0.75') },
          ],
        },
        decentralizedSynchronizer: {
          requiredSynchronizers: { map: [[synchronizer, {}]] },
          activeSynchronizer: synchronizer,
          fees: {
            baseRateTrafficLimits: { burstAmount: '400000', burstWindow: relTime(1200) },
            extraTrafficPrice: '16.67',
            readVsWriteScalingFactor: '4',
            minTopupAmount: '200000',
          },
        },
        tickDuration: relTime(600),
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
      },
      futureValues: [],
    },
    isDevNet: true,
  }
}
