import type { ReadPath } from '../compose.ts'
import { openReadPath } from '../compose-alone.ts'
import { type LoadConfigOptions, loadConfig } from '../config/load.ts'
import type { Config } from '../config/resolve.ts'
import { systemClock } from '../lib/clock.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { exitCodes, type Print, tellConfig } from './print.ts'
import { NoSeeds, seedsOf } from './seeds.ts'

/** A command that asks scans directly, as configured. */
export interface AskingProcess extends AsyncDisposable {
  readonly config: Config
  readonly path: ReadPath
  /** Each seed's answer about the roster, if no roster is agreed. */
  readonly seedAnswers: ReadonlyMap<string, string>
}

/**
 * Loads the configuration and agrees on a roster. It ignores the daemon's Redis and roster file: a command reports what
 * this machine can see now.
 * @returns the exit code if that fails; the reason is already printed.
 */
export async function startAsking(print: Print, options: LoadConfigOptions): Promise<AskingProcess | number> {
  const loaded = loadConfig(options)
  tellConfig(print, loaded)
  if (!loaded.ok) return exitCodes.badConfig
  try {
    const config = alone(loaded.config, await seedsOf(loaded.config))
    const seedAnswers = new Map<string, string>()
    const seeds = config.scanClient.seedUrls.length
    let answers = 0
    let starting = true
    print.progress?.(`asking ${seeds} scans who the super validators are`)
    const path = await openReadPath(config, {
      logger: silentLogger,
      clock: systemClock,
      events: {
        seedAnswered: (seed, answer) => void seedAnswers.set(seed, answer),
        scanAsked: () => {
          if (starting) print.progress?.(`agreeing on who the super validators are: ${++answers} answers`)
        },
      },
    })
    starting = false
    print.progress?.(undefined)
    return { config, path, seedAnswers, [Symbol.asyncDispose]: () => path[Symbol.asyncDispose]() }
  } catch (error) {
    print.progress?.(undefined)
    if (!(error instanceof NoSeeds)) throw error
    print.err(error.message)
    return exitCodes.unavailable
  }
}

/** Returns the configuration of a command: with these seeds, and without the daemon's Redis and roster file. */
export function alone(config: Config, seedUrls: readonly string[]): Config {
  const { rosterFile: _, ...scanClient } = config.scanClient
  const single = scanClient.scanType === 'trust-single'
  return {
    ...config,
    cache: { ...config.cache, redis: {} },
    scanClient: { ...scanClient, seedUrls: single ? seedUrls.slice(0, 1) : seedUrls },
  }
}
