import { type LoadConfigOptions, type LoadedConfig, loadConfig } from '../base/config/load.ts'
import { readIds } from '../core/reads/endpoints.ts'

/** Reads the configuration. Options of single reads must have the ids of reads that exist. */
export function readConfig(options: LoadConfigOptions): LoadedConfig {
  return loadConfig({ reads: readIds, ...options })
}
