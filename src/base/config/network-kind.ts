/** `remote` is any network that this program does not recognize by the host names of its scans. */
export const networkKinds = ['mainnet', 'testnet', 'devnet', 'localnet', 'remote'] as const
export type NetworkKind = (typeof networkKinds)[number]

/**
 * The pattern of MainNet comes last, because it also matches the host names of the other networks,
 * such as `scan.sv-1.test.global.canton.network.sync.global`.
 */
const hosts: readonly (readonly [RegExp, NetworkKind])[] = [
  [/\.dev\.global\.canton\.network\./, 'devnet'],
  [/\.test\.global\.canton\.network\./, 'testnet'],
  [/\.global\.canton\.network\./, 'mainnet'],
]

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
