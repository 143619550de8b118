import { isJsonObject, type Json } from '../../base/lib/canonical-json.ts'

/** No DSO has more super validators, and none has a longer name. */
const mostMembers = 256
const longestName = 255

export interface DsoMember {
  readonly party: string
  readonly name: string
}

/**
 * Reads the field `svs` of a `DsoRules` contract. The field has pairs such as
 * `["sv::1220...", { "name": "sv-1" }]`. Returns undefined if the field has another form.
 */
export function membersIn({ svs }: { readonly [key: string]: Json }): readonly DsoMember[] | undefined {
  if (!Array.isArray(svs) || svs.length > mostMembers) return undefined
  const members = svs.map(memberIn)
  return members.every((member) => member !== undefined) ? members : undefined
}

function memberIn(pair: Json): DsoMember | undefined {
  if (!Array.isArray(pair) || pair.length !== 2) return undefined
  const [party, info] = pair as readonly Json[]
  const name = isJsonObject(info) ? info['name'] : undefined
  if (typeof party !== 'string' || typeof name !== 'string') return undefined
  return party.length > longestName || name.length > longestName ? undefined : { party, name }
}
