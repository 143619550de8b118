import { type Component, componentList } from './signature-base.ts'

/**
 * The `tag` of the signature of a set of names. A caller that puts it into `accept-signature` asks for that signature.
 */
export const setTag = 'bft-scan-set'

/** Returns all components that the signature of a set covers. @param statement the value of `x-bft-set`. */
export function setComponents(statement: string): readonly Component[] {
  return [['"x-bft-set"', statement]]
}

/** The serialised list of the components that every signature of a set covers. */
export const setComponentList: string = componentList(setComponents(''))
