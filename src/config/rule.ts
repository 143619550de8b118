import type { Settings } from './options.ts'
import { type Config, knownVoters } from './resolve.ts'

export interface ConfigFacts {
  readonly config: Config
  readonly settings: Settings
  readonly production: boolean
  readonly isDaemon: boolean
  readonly voters: number | undefined
}

export interface Rule {
  readonly name: string
  /**
   * The keys of the options that the rule depends on. If one of them is invalid by itself, the rule
   * is skipped.
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
