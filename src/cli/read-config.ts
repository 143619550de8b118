import { type LoadConfigOptions, type LoadedConfig, loadConfig } from '../base/config/load.ts'
import type { Config } from '../base/config/resolve.ts'
import { readIds } from '../core/reads/endpoints.ts'
import { type Print, tellConfig } from './print.ts'

/** Reads the configuration. Options of single reads must have the ids of reads that exist. */
export function readConfig(options: LoadConfigOptions): LoadedConfig {
  return loadConfig({ reads: readIds, ...options })
}

/** Returns undefined, and has said why, if the configuration cannot be used. */
export function toldConfig(print: Print, options: LoadConfigOptions): Config | undefined {
  const loaded = readConfig(options)
  tellConfig(print, loaded)
  return loaded.ok ? loaded.config : undefined
}
