/** The public networks. The folder `config/` has a file of the same name for each. */
export const publicNetworks = ['mainnet', 'testnet', 'devnet'] as const
export type PublicNetwork = (typeof publicNetworks)[number]

export function isPublicNetwork(name: unknown): name is PublicNetwork {
  return publicNetworks.some((network) => network === name)
}
