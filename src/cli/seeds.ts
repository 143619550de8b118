import type { Config } from '../config/resolve.ts'

/** There are no seeds; the message says why. */
export class NoSeeds extends Error {
  override readonly name = 'NoSeeds'
}

/**
 * Returns the nodes to ask first: the configured seeds, or on a localnet the nodes of the daemon that runs it.
 * @throws NoSeeds
 */
export async function seedsOf({
  network,
  operations,
  scanClient: { seedUrls },
}: Config): Promise<readonly string[]> {
  if (network === 'remote' || seedUrls.length > 0) return seedUrls
  const host = operations.host === '0.0.0.0' || operations.host === '::' ? '127.0.0.1' : operations.host
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${operations.port}`
  const urls = await urlsKnownTo(`${address}/status`)
  if (urls.length > 0) return urls
  throw new NoSeeds(
    `no daemon with a localnet answers at ${address}: start one with \`bft-scan-proxy serve\`, set SCAN_SEED_URLS, or choose a network with NODE_CONFIG_ENV`,
  )
}

async function urlsKnownTo(status: string): Promise<readonly string[]> {
  try {
    const response = await fetch(status)
    const { roster } = (await response.json()) as {
      readonly roster: { readonly superValidators: readonly { readonly url: string | null }[] } | null
    }
    return roster?.superValidators.flatMap(({ url }) => url ?? []) ?? []
  } catch {
    return []
  }
}
