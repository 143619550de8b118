import type { LoadConfigOptions } from '../base/config/load.ts'
import type { Config } from '../base/config/resolve.ts'
import { exitCodes } from './exit-codes.ts'
import { misused, type Print } from './print.ts'
import { daemonAt, NoDaemon, operationsUrl, RunningDaemon } from './running-daemon.ts'

export interface CommandOptions extends LoadConfigOptions {
  readonly operations?: string | undefined
}

/**
 * Returns the URLs of the scans that are asked first: the configured seeds or, for a localnet, the
 * scans that its daemon names. Returns the exit code if there are none: the reason is then already
 * printed.
 */
export async function seedsOf(
  config: Config,
  print: Print,
  { operations }: CommandOptions,
): Promise<readonly string[] | number> {
  const { seedUrls } = config.scanClient
  const isConfigured = config.network === 'remote' || seedUrls.length > 0
  if (isConfigured && operations === undefined) return seedUrls
  if (isConfigured)
    return misused(print, '--operations names the daemon of a localnet, and here the seeds are configured')
  const daemon =
    operations === undefined ? new RunningDaemon(operationsUrl(config)) : daemonAt(operations, print)
  return typeof daemon === 'number' ? daemon : seedsKnownTo(daemon, print)
}

async function seedsKnownTo(daemon: RunningDaemon, print: Print): Promise<readonly string[] | number> {
  try {
    const { roster, network } = await daemon.status()
    const urls = roster?.superValidators.flatMap(({ url }) => url ?? []) ?? []
    if (network === 'localnet' && urls.length > 0) return urls
    const other = network === 'remote' ? 'give this command its configuration' : 'choose it with --network'
    print.err(
      network === 'localnet'
        ? `the daemon at ${daemon.url} has no roster`
        : `the daemon at ${daemon.url} is on ${network}, not on a localnet: ${other}`,
    )
  } catch (error) {
    if (!(error instanceof NoDaemon)) throw error
    print.err(
      `no daemon with a localnet answers at ${daemon.url}: start one with \`bft-scan-proxy serve\`, name its operations address with --operations, set SCAN_SEED_URLS, or choose a network with --network`,
    )
  }
  return exitCodes.unavailable
}
