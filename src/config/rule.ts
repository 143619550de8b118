import type { Settings } from './options.ts'
import { type Config, knownVoters } from './resolve.ts'

export interface ConfigFacts {
  readonly config: Config
  /** The settings without the defaults that depend on the network. */
  readonly settings: Settings
  /** Whether `NODE_ENV` or `NODE_CONFIG_ENV` names `production`. */
  readonly production: boolean
  /**
   * Whether a daemon runs with the configuration. False for a command or a library, which only ask scans and
   * start no ledger.
   */
  readonly isDaemon: boolean
  /** n, the number of super validators that vote. Undefined if only discovery shows it. */
  readonly voters: number | undefined
}

/**
 * A rule of the configuration that the schema does not check. Most rules concern several options together.
 */
export interface Rule {
  readonly name: string
  /**
   * The keys of the options on which the rule depends. If one of them is invalid by itself, the rule is not checked.
   */
  readonly reads: readonly string[]
  find(facts: ConfigFacts): Iterable<string>
}

export function factsOf(
  settings: Settings,
  config: Config,
  run: Pick<ConfigFacts, 'production' | 'isDaemon'>,
): ConfigFacts {
  return { config, settings, ...run, voters: knownVoters(settings) }
}
