import { isJsonObject, type Json } from '../lib/canonical-json.ts'

/** A super validator as a `DsoRules` contract names it. */
export interface DsoMember {
  readonly party: string
  readonly name: string
}

/**
 * Returns the super validators in the arguments of a `DsoRules` contract. There, `svs` is a list of pairs: a
 * party, and a record that has the name. Undefined if the arguments do not match this description.
 */
export function membersIn({ svs }: { readonly [key: string]: Json }): readonly DsoMember[] | undefined {
  if (!Array.isArray(svs)) return undefined
  const members = svs.map(memberIn)
  return members.every((member) => member !== undefined) ? members : undefined
}

function memberIn(pair: Json): DsoMember | undefined {
  if (!Array.isArray(pair) || pair.length !== 2) return undefined
  const [party, info] = pair as readonly Json[]
  const name = isJsonObject(info) ? info['name'] : undefined
  return typeof party === 'string' && typeof name === 'string' ? { party, name } : undefined
}
