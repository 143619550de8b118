import type { Config } from '../config/resolve.ts'
import { NoDaemon, operationsUrl, RunningDaemon } from './running-daemon.ts'

/** Thrown if there are no seeds; the message tells why. */
export class NoSeeds extends Error {
  override readonly name = 'NoSeeds'
}

/**
 * Returns the URLs of the nodes that are asked first. These are the configured seeds, or on a localnet the nodes of
 * the daemon that runs the localnet.
 * @throws NoSeeds
 */
export async function seedsOf(config: Config): Promise<readonly string[]> {
  const { seedUrls } = config.scanClient
  if (config.network === 'remote' || seedUrls.length > 0) return seedUrls
  const operations = new RunningDaemon(operationsUrl(config))
  const urls = await urlsKnownTo(operations)
  if (urls.length > 0) return urls
  throw new NoSeeds(
    `no daemon with a localnet answers at ${operations.url}: start one with \`bft-scan-proxy serve\`, set SCAN_SEED_URLS, or choose a network with --network`,
  )
}

async function urlsKnownTo(operations: RunningDaemon): Promise<readonly string[]> {
  try {
    const { roster } = await operations.status()
    return roster?.superValidators.flatMap(({ url }) => url ?? []) ?? []
  } catch (error) {
    if (error instanceof NoDaemon) return []
    throw error
  }
}
