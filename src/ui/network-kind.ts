/**
 * The networks that a daemon can read. `remote` is any other network: this program does not know the host
 * names of its scans.
 */
export const networkKinds = ['mainnet', 'testnet', 'devnet', 'localnet', 'remote'] as const
export type NetworkKind = (typeof networkKinds)[number]

/**
 * Patterns of the host names of scans, such as `scan.sv-1.test.global.canton.network.sync.global`. The first
 * pattern that matches decides. The pattern of MainNet comes last, because it also matches the hosts of the
 * other networks.
 */
const hosts: readonly (readonly [RegExp, NetworkKind])[] = [
  [/\.dev\.global\.canton\.network\./, 'devnet'],
  [/\.test\.global\.canton\.network\./, 'testnet'],
  [/\.global\.canton\.network\./, 'mainnet'],
]

/**
 * Determines the network of the seeds by their host names. Returns `remote` if the seeds are not all on the
 * same known network.
 * @param seeds base URLs.
 */
export function networkKind(network: 'localnet' | 'remote', seeds: readonly string[]): NetworkKind {
  if (network === 'localnet') return 'localnet'
  const kinds = new Set(
    seeds.map((seed) => {
      const host = URL.canParse(seed) ? new URL(seed).hostname : ''
      return hosts.find(([pattern]) => pattern.test(host))?.[1] ?? 'remote'
    }),
  )
  const [only = 'remote'] = kinds
  return kinds.size === 1 ? only : 'remote'
}
