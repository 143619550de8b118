/** The networks that a daemon can read. `remote` stands for any network whose scans this program does not know. */
export const networkKinds = ['mainnet', 'testnet', 'devnet', 'localnet', 'remote'] as const
export type NetworkKind = (typeof networkKinds)[number]

/**
 * Patterns of the host names of scans, such as `scan.sv-1.test.global.canton.network.sync.global`. The first pattern
 * that matches decides, because the last one matches the hosts of all public networks.
 */
const hosts: readonly (readonly [RegExp, NetworkKind])[] = [
  [/\.dev\.global\.canton\.network\./, 'devnet'],
  [/\.test\.global\.canton\.network\./, 'testnet'],
  [/\.global\.canton\.network\./, 'mainnet'],
]

/**
 * Returns the network of the seeds, judged by their host names. Returns `remote` if they are not all on the same known
 * network.
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
