import type { FlagTexts } from './flags.ts'
import { type Layers, splitList, type Variables } from './layers.ts'
import { isPublicNetwork } from './networks.ts'

export interface NetworkChoice {
  readonly name: string
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
