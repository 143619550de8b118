import type { NetworkChoice } from '../config/network-choice.ts'
import { type Config, knownVoters } from '../config/resolve.ts'
import { thresholdOf, tolerated } from '../quorum/threshold.ts'

export interface ThresholdOverview {
  readonly configured: Config['scanClient']['threshold']
  /**
   * The thresholds are computed from this number of super validators or, if the configuration does
   * not name them, of seeds.
   */
  readonly of: number
  readonly counts: 'superValidators' | 'seeds'
  readonly tolerated: number
  readonly 'f+1': number
  readonly '2f+1': number
}

export function thresholdsIn(config: Config): ThresholdOverview {
  const known = knownVoters(config)
  const n = known ?? config.scanClient.seedUrls.length
  return {
    configured: config.scanClient.threshold,
    of: n,
    counts: known === undefined ? 'seeds' : 'superValidators',
    tolerated: tolerated(n),
    'f+1': thresholdOf('f+1', n),
    '2f+1': thresholdOf('2f+1', n),
  }
}

export function networkLine({ name, chosenBy }: NetworkChoice): string {
  return `network: ${name}, ${chosenBy === undefined ? 'the default' : `chosen by ${chosenBy}`}`
}

export function dsoLine({ network, scanClient: { dsoPartyId } }: Config): string | undefined {
  if (network === 'localnet' || dsoPartyId !== undefined) return undefined
  return 'DSO: not pinned; `bft-scan-proxy roster` and the log of `serve` say which one the scans name: check that it is the one of your network, and set scanClient.dsoPartyId (SCAN_DSO_PARTY_ID) to it'
}

export function thresholdLine(config: Config): string {
  if (config.scanClient.scanType === 'trust-single') return 'threshold: none, one scan is trusted alone'
  const { configured, of, counts, tolerated: f, ...rules } = thresholdsIn(config)
  const voters = counts === 'seeds' ? `${of}, if the seeds are the whole roster,` : `${of} super validators`
  return `threshold: ${configured}; f+1 of ${voters} is ${rules['f+1']}, 2f+1 is ${rules['2f+1']}; f = ${f} may lie or fail`
}
