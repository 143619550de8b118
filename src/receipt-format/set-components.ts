import { type Component, componentList } from './signature-base.ts'

/**
 * The `tag` of the signature of a set of names. A caller that names it in `accept-signature` asks
 * for this signature.
 */
export const setTag = 'bft-scan-set'

export function setComponents(statement: string): readonly Component[] {
  return [['"x-bft-set"', statement]]
}

export const setComponentList: string = componentList(setComponents(''))
