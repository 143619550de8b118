import { isJsonObject, type Json } from '../base/lib/canonical-json.ts'
import { canonicalInstant, isTime } from '../core/reads/instant.ts'
import { isParty } from '../core/reads/leaves.ts'
import type { SnapshotContract } from '../core/reads/snapshots.ts'

/**
 * The template of entries. Like all templates here, it has the form `package-name:Module:Entity` of
 * requests of `POST /v2/state/acs`.
 */
export const ansEntryTemplate = 'splice-amulet-name-service:Splice.Ans:AnsEntry'
export const dsoRulesTemplate = 'splice-dso-governance:Splice.DsoRules:DsoRules'

export const mirroredTemplates: readonly string[] = [ansEntryTemplate, dsoRulesTemplate]

/**
 * Replaces the package hash at the beginning of a contract's `template_id` with the package name.
 */
export function templateOf(contract: {
  readonly template_id: string
  readonly package_name: string
}): string {
  const { template_id: id, package_name: packageName } = contract
  return `${packageName}:${id.slice(id.indexOf(':') + 1)}`
}

/**
 * An entry of the name service, with the field names of scans. `expires_at` is a UTC time in ISO
 * 8601.
 */
export interface MirroredEntry {
  readonly contract_id: string
  readonly user: string
  readonly name: string
  readonly url: string
  readonly description: string
  readonly expires_at: string
}

/** The ledger has no entry with longer texts. */
const longest = { contract_id: 255, name: 60, url: 255, description: 140 } as const

/**
 * Reads the entry in a contract. Like scans, the function writes `expires_at` with only as many
 * decimals as the time needs (`ISO_OFFSET_DATE_TIME` of Java).
 * @returns undefined if a field is missing, malformed or longer than the ledger permits.
 */
export function entryIn({
  contract_id,
  create_arguments: fields,
}: Pick<SnapshotContract, 'contract_id' | 'create_arguments'>): MirroredEntry | undefined {
  const { user, name, url, description, expiresAt } = fields
  if (typeof user !== 'string' || !isParty(user) || typeof name !== 'string') return undefined
  if (typeof url !== 'string' || typeof description !== 'string') return undefined
  if (typeof expiresAt !== 'string' || !isTime(expiresAt)) return undefined
  const expires_at = canonicalInstant(expiresAt)
  if (expires_at === undefined) return undefined
  if (contract_id.length > longest.contract_id || name.length > longest.name) return undefined
  if (url.length > longest.url || description.length > longest.description) return undefined
  return { contract_id, user, name, url, description, expires_at }
}

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
