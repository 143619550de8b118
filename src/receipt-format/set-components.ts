import { type Component, componentList } from './signature-base.ts'

/**
 * The `tag` of the daemon's signature over a whole set of names. A caller that sends this tag in
 * `accept-signature` asks for this signature.
 */
export const setTag = 'bft-scan-set'

export function setComponents(statement: string): readonly Component[] {
  return [['"x-bft-set"', statement]]
}

export const setComponentList: string = componentList(setComponents(''))
