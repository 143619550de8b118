import type { FlagTexts } from './flags.ts'
import { type Layers, splitList, type Variables } from './layers.ts'
import { isPublicNetwork } from './networks.ts'

export interface NetworkChoice {
  /** `mainnet`, `testnet`, `devnet`, `localnet` or `remote`, as the user named it. */
  readonly name: string
  /** The flag, variable or file that names the network. Undefined if nothing names it, so that the default applies. */
  readonly chosenBy: string | undefined
}

export function networkChoiceOf(layers: Layers, variables: Variables, { network }: FlagTexts): NetworkChoice {
  if (network !== undefined) return { name: network, chosenBy: '--network' }
  const option = layers.config['network']
  const chosenBy = layers.origin(['network'])
  const deployment = layers.deployments.find(isPublicNetwork)
  if (option !== 'remote' || deployment === undefined)
    return { name: typeof option === 'string' ? option : 'localnet', chosenBy }
  const isNamed = splitList(variables['NODE_CONFIG_ENV']).includes(deployment)
  return { name: deployment, chosenBy: isNamed ? 'NODE_CONFIG_ENV' : 'NODE_ENV' }
}
