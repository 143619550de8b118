import { type Component, componentList } from './signature-base.ts'

/** The `tag` of the signature of a set of names. Callers ask for one with the same tag in `accept-signature`. */
export const setTag = 'bft-scan-set'

/** Lists exactly the components that the signature of a set covers. @param statement the value of `x-bft-set`. */
export function setComponents(statement: string): readonly Component[] {
  return [['"x-bft-set"', statement]]
}

/** The only list of components that the signature of a set has. */
export const setComponentList: string = componentList(setComponents(''))
