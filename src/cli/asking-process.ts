import type { Config } from '../base/config/resolve.ts'
import { systemClock } from '../base/lib/clock.ts'
import { silentLogger } from '../base/telemetry/logger.ts'
import { openReadPathAlone, type ReadPath } from '../core/scan/open.ts'
import { exitCodes } from './exit-codes.ts'
import type { Print } from './print.ts'
import { toldConfig } from './read-config.ts'
import { type CommandOptions, seedsOf } from './seeds.ts'

export interface AskingProcess extends AsyncDisposable {
  readonly config: Config
  readonly path: ReadPath
}

/**
 * Loads the configuration and tries to agree on a roster, the list of super validators. If that
 * fails, `path.discovery.status` has the reason. Returns the exit code if the configuration or the
 * seeds cannot be used: the reason is then already printed.
 */
export async function startAsking(print: Print, options: CommandOptions): Promise<AskingProcess | number> {
  const config = await commandConfig(print, options)
  if (typeof config === 'number') return config
  try {
    const seeds = config.scanClient.seedUrls.length
    let answers = 0
    let starting = true
    print.progress?.(`asking ${seeds} scans who the super validators are`)
    const path = await openReadPathAlone(config, {
      logger: silentLogger,
      clock: systemClock,
      events: {
        scanAsked: () => {
          if (starting) print.progress?.(`agreeing on who the super validators are: ${++answers} answers`)
        },
      },
    })
    starting = false
    return { config, path, [Symbol.asyncDispose]: () => path[Symbol.asyncDispose]() }
  } finally {
    print.progress?.(undefined)
  }
}

/**
 * The daemon's Redis and roster file are left out, because a command reports what this machine can
 * see now.
 */
export async function commandConfig(print: Print, options: CommandOptions): Promise<Config | number> {
  const config = toldConfig(print, { ...options, isDaemon: false })
  if (config === undefined) return exitCodes.badConfig
  const seeds = await seedsOf(config, print, options)
  return typeof seeds === 'number' ? seeds : withoutDaemonState(config, seeds)
}

function withoutDaemonState(config: Config, seedUrls: readonly string[]): Config {
  const { rosterFile: _, ...scanClient } = config.scanClient
  const single = scanClient.scanType === 'trust-single'
  return {
    ...config,
    cache: { ...config.cache, redis: {} },
    scanClient: { ...scanClient, seedUrls: single ? seedUrls.slice(0, 1) : seedUrls },
  }
}
