import { type Component, componentList } from './signature-base.ts'

/**
 * The `tag` of the signature of a set of names. A caller that puts this tag into `accept-signature` asks for
 * such a signature.
 */
export const setTag = 'bft-scan-set'

/**
 * Returns all components that the signature of a set of names covers.
 * @param statement the value of `x-bft-set`.
 */
export function setComponents(statement: string): readonly Component[] {
  return [['"x-bft-set"', statement]]
}

/** The serialized list of the components that every signature of a set of names covers. */
export const setComponentList: string = componentList(setComponents(''))
