import { effectiveOptions, keysWithoutEffect, shownValue } from '../base/config/effective.ts'
import type { LoadConfigOptions, LoadedConfig, NetworkChoice } from '../base/config/load.ts'
import { type Config, knownVoters } from '../base/config/resolve.ts'
import { systemClock } from '../base/lib/clock.ts'
import { thresholdOf, tolerated } from '../base/lib/threshold.ts'
import { scanTarget } from '../core/scan/address-guard.ts'
import type { Membership } from '../core/scan/membership.ts'
import { Roster } from '../core/scan/roster.ts'
import { readRosterFile } from '../core/scan/roster-file.ts'
import { exitCodes } from './exit-codes.ts'
import { fileProblems } from './file-problems.ts'
import { addressProblems } from './listening.ts'
import { type Print, printJson, tellConfig } from './print.ts'
import { readConfig } from './read-config.ts'
import { columns } from './table.ts'

/** Returns the exit code: 0, or 78 if the daemon would not start, or could agree on nothing. */
export async function checkConfig(
  { json }: { readonly json: boolean },
  print: Print,
  options: LoadConfigOptions = {},
): Promise<number> {
  const loaded = await onThisMachine(readConfig(options))
  const { warnings, files } = loaded
  const code = loaded.ok ? exitCodes.ok : exitCodes.badConfig
  if (json) {
    const found = loaded.ok
      ? {
          ok: true,
          options: Object.fromEntries(summary(loaded)),
          withoutEffect: keysWithoutEffect(loaded.config),
          threshold: thresholdsIn(loaded.config),
        }
      : { ok: false, problems: loaded.problems }
    printJson(print, { ...found, network: loaded.network, warnings, files })
    return code
  }
  tellConfig(print, loaded)
  if (!loaded.ok) return code
  for (const line of shown(loaded)) print.out(line)
  return code
}

type UsableConfig = Extract<LoadedConfig, { ok: true }>

async function onThisMachine(loaded: LoadedConfig): Promise<LoadedConfig> {
  if (!loaded.ok) return loaded
  const { config } = loaded
  const found = await fileProblems(config)
  const warnings = [...loaded.warnings, ...found.warnings, ...seedWarnings(config)]
  const problems = [...found.problems, ...(await addressProblems(config)), ...rosterProblems(config)]
  return problems.length === 0 ? { ...loaded, warnings } : { ...loaded, ok: false, problems, warnings }
}

/** The daemon would start, and never ask these seeds. */
function* seedWarnings({ scanClient }: Config): Iterable<string> {
  for (const url of scanClient.seedUrls) {
    const target = scanTarget(url, scanClient)
    if (target.kind === 'blocked') yield `scanClient.seedUrls: ${url} is never asked: ${target.reason}`
  }
}

/** The daemon would start, and could answer nothing until the roster grows. */
function rosterProblems(config: Config): readonly string[] {
  const kept = keptRoster(config)
  return kept === undefined ? [] : [...new Roster(kept, config.scanClient).outOfReach().values()]
}

function* shown({ config, files, network }: UsableConfig): Iterable<string> {
  const idle = keysWithoutEffect(config)
  yield* columns([
    ...files.map((file, index) => [index === 0 ? 'files' : '', file]),
    ['network', `${network.name}, ${chosenBy(network)}`],
    ['threshold', thresholdSentence(config)],
    ...dsoRows(config),
    ['no effect', `${idle.join(', ')}: left out below`],
  ])
  yield ''
  const isIdle = (key: string) => idle.some((each) => key === each || key.startsWith(`${each}.`))
  for (const [key, value] of summary({ config, network })) if (!isIdle(key)) yield `${key}: ${value}`
}

/**
 * `config.network` is only `localnet` or `remote`. The summary shows the name of the chosen network
 * instead, such as mainnet.
 */
function summary({
  config,
  network,
}: Pick<UsableConfig, 'config' | 'network'>): (readonly [key: string, value: string])[] {
  return [...effectiveOptions(config)].map((option) => [
    option.key,
    option.key === 'network' ? network.name : shownValue(option),
  ])
}

function thresholdsIn(config: Config) {
  const { of, counts } = electorateOf(config)
  return {
    configured: config.scanClient.threshold,
    of,
    counts,
    tolerated: tolerated(of),
    'f+1': thresholdOf('f+1', of),
    '2f+1': thresholdOf('2f+1', of),
  }
}

/**
 * Returns how many super validators vote. If the configuration does not name them, the roster file
 * does, or else the seeds are counted.
 */
function electorateOf(config: Config) {
  const known = knownVoters(config)
  if (known !== undefined) return { of: known, counts: 'superValidators' } as const
  const kept = keptRoster(config)
  if (kept !== undefined) return { of: kept.members.length, counts: 'rosterFile' } as const
  return { of: config.scanClient.seedUrls.length, counts: 'seeds' } as const
}

function keptRoster(config: Config): Membership | undefined {
  const kept = readRosterFile(config, systemClock.wall())
  return kept.kind === 'kept' ? kept.membership : undefined
}

function chosenBy({ chosenBy }: NetworkChoice): string {
  return chosenBy === undefined ? 'the default' : `chosen by ${chosenBy}`
}

function dsoRows({ network, scanClient: { dsoPartyId } }: Config): readonly (readonly string[])[] {
  if (network === 'localnet' || dsoPartyId !== undefined) return []
  const how =
    'not pinned; `bft-scan-proxy roster` and the log of `serve` say which one the scans name: check that it is the one of your network, and set scanClient.dsoPartyId (SCAN_DSO_PARTY_ID) to it'
  return [['DSO', how]]
}

const sources = {
  superValidators: '',
  rosterFile: ', as the roster file says',
  seeds: ', if the seeds are all super validators',
}

function thresholdSentence(config: Config): string {
  const { threshold: rule, scanType } = config.scanClient
  if (scanType === 'trust-single') return 'none: one scan is trusted alone'
  const { of, counts } = electorateOf(config)
  const needed = thresholdOf(rule, of)
  const name = typeof rule === 'number' ? '' : ` (${rule})`
  return `${needed} of ${of}${name}${sources[counts]}: ${endured(needed, of)}`
}

/** More could make an answer up, keep it from being agreed, or be more than f (quorum.md#thresholds). */
function endured(needed: number, of: number): string {
  if (needed > of) return 'nothing can be agreed on'
  if (needed === 1 && of > 1) return `none may lie, up to ${of - 1} may fail`
  const most = Math.min(tolerated(of), needed - 1, of - needed)
  return `${most === 0 ? 'none' : `up to ${most}`} may lie or fail`
}
