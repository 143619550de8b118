import { effectiveOptions, shownValue } from '../config/effective.ts'
import { type LoadConfigOptions, type LoadedConfig, loadConfig } from '../config/load.ts'
import type { NetworkChoice } from '../config/network-choice.ts'
import { type Config, knownVoters } from '../config/resolve.ts'
import { keysWithoutEffect } from '../config/without-effect.ts'
import { thresholdOf, tolerated } from '../quorum/threshold.ts'
import { exitCodes } from './exit-codes.ts'
import { fileProblems } from './file-problems.ts'
import { addressProblems } from './listening.ts'
import { type Print, printJson, tellConfig } from './print.ts'

/** Returns the exit code: 0, or 78 if the daemon would not start. */
export async function checkConfig(
  { json }: { readonly json: boolean },
  print: Print,
  options: LoadConfigOptions = {},
): Promise<number> {
  const loaded = await onThisMachine(loadConfig(options))
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
  const found = await fileProblems(loaded.config)
  const warnings = [...loaded.warnings, ...found.warnings]
  const problems = [...found.problems, ...(await addressProblems(loaded.config))]
  return problems.length === 0 ? { ...loaded, warnings } : { ...loaded, ok: false, problems, warnings }
}

function* shown({ config, files, network }: UsableConfig): Iterable<string> {
  for (const file of files) yield `# ${file}`
  yield `# ${networkLine(network)}`
  yield `# ${thresholdLine(config)}`
  const dso = dsoLine(config)
  if (dso !== undefined) yield `# ${dso}`
  const idle = keysWithoutEffect(config)
  const isIdle = (key: string) => idle.some((each) => key === each || key.startsWith(`${each}.`))
  for (const [key, value] of summary({ config, network })) if (!isIdle(key)) yield `${key}: ${value}`
  yield `# without effect here, so left out: ${idle.join(', ')}`
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

/**
 * The thresholds are computed from the number of super validators or, if the configuration does not
 * name them, of seeds.
 */
function thresholdsIn(config: Config) {
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

function networkLine({ name, chosenBy }: NetworkChoice): string {
  return `network: ${name}, ${chosenBy === undefined ? 'the default' : `chosen by ${chosenBy}`}`
}

function dsoLine({ network, scanClient: { dsoPartyId } }: Config): string | undefined {
  if (network === 'localnet' || dsoPartyId !== undefined) return undefined
  return 'DSO: not pinned; `bft-scan-proxy roster` and the log of `serve` say which one the scans name: check that it is the one of your network, and set scanClient.dsoPartyId (SCAN_DSO_PARTY_ID) to it'
}

function thresholdLine(config: Config): string {
  if (config.scanClient.scanType === 'trust-single') return 'threshold: none, one scan is trusted alone'
  const { configured, of, counts, tolerated: f, ...rules } = thresholdsIn(config)
  const voters = counts === 'seeds' ? `${of}, if the seeds are the whole roster,` : `${of} super validators`
  return `threshold: ${configured}; f+1 of ${voters} is ${rules['f+1']}, 2f+1 is ${rules['2f+1']}; f = ${f} may lie or fail`
}
