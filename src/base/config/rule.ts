import { valueAt } from '../lib/value-at.ts'
import type { Settings } from './options.ts'
import { type Config, knownVoters } from './resolve.ts'
import { optionAt } from './rows.ts'
import { isTree } from './tree.ts'

export interface ConfigFacts {
  readonly config: Config
  readonly settings: Settings
  readonly production: boolean
  readonly isDaemon: boolean
  readonly voters: number | undefined
}

/** Each rule has a name for people, and finds sentences about values that do not go together. */
export type ConfigRules = Readonly<Record<string, (facts: ConfigFacts) => Iterable<string>>>

class ReadSpoilt extends Error {}

/** @param spoilt the paths of values that are invalid by themselves; a rule that reads one ends there */
export function factsOf(
  { config, settings, ...run }: Omit<ConfigFacts, 'voters'>,
  spoilt: readonly (readonly PropertyKey[])[],
): ConfigFacts {
  const sound = without(settings, spoilt)
  return {
    ...run,
    config: without(config, spoilt),
    settings: sound,
    get voters() {
      return knownVoters(sound)
    },
  }
}

export function* findingsOf(rules: ConfigRules, facts: ConfigFacts): Iterable<string> {
  for (const find of Object.values(rules))
    try {
      yield* find(facts)
    } catch (error) {
      if (!(error instanceof ReadSpoilt)) throw error
    }
}

/** Copies the values. In the copy, reading a spoilt one throws. */
function without<T>(values: T, spoilt: readonly (readonly PropertyKey[])[]): T {
  if (spoilt.length === 0) return values
  const copy = structuredClone(values)
  for (const path of spoilt) {
    const { path: known = path, unit = '' } = optionAt(path) ?? {}
    const section = valueAt(copy, path.slice(0, known.length - 1))
    const key = `${String(path[known.length - 1])}${unit === 'ms' ? 'Ms' : ''}`
    const get = () => {
      throw new ReadSpoilt()
    }
    if (isTree(section)) Object.defineProperty(section, key, { get, enumerable: true, configurable: true })
  }
  return copy
}
