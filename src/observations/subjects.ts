import { canonicalJson, isJsonObject, type Json } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import type { DsoMember } from '../mirror/dso-member.ts'
import { canonicalInstant } from '../reads/instant.ts'

/** A snapshot: all contracts of these templates and of one DSO, at one record time. */
export interface SnapshotNamed {
  readonly dso: string
  readonly migrationId: number
  /** The record time is in milliseconds since 1970. */
  readonly at: number
  readonly templates: readonly string[]
}

export function snapshotSubject({ dso, migrationId, at, templates }: SnapshotNamed): string {
  const what = digest(canonicalJson({ dso, templates }))
  return `snapshot ${migrationId} ${new Date(at).toISOString()} ${what}`
}

/** The subject names the list of super validators in the `DsoRules` contract with this id. */
export function rosterSubject(contractId: string): string {
  return `roster ${digest(contractId)}`
}

export function rosterDigest(members: readonly DsoMember[]): string {
  const pairs = members.map(({ party, name }) => [party, name]).sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
  return digest(canonicalJson(pairs))
}

export function contractSubject(contractId: string): string {
  return `contract ${digest(contractId)}`
}

export interface GivenContract {
  readonly template_id: string
  readonly contract_id: string
  readonly payload: { readonly [key: string]: Json }
  readonly created_at: string
}

/**
 * The digest leaves out what scans of two releases may write differently: the template's package,
 * fields without a value, and `created_event_blob`.
 */
export function contractDigest({ template_id: id, payload, created_at: at }: GivenContract): string {
  const template = id.slice(id.indexOf(':') + 1)
  return digest(
    canonicalJson({ template, payload: withoutNulls(payload), createdAt: canonicalInstant(at) ?? at }),
  )
}

export interface GivenEntry {
  readonly contract_id: string
  readonly [key: string]: Json
}

export function entrySubject(contractId: string): string {
  return `entry ${digest(contractId)}`
}

export function entryDigest(entry: GivenEntry): string {
  const { expires_at: end } = entry
  const endsAt = typeof end === 'string' ? (canonicalInstant(end) ?? end) : null
  return digest(canonicalJson(withoutNulls({ ...entry, expires_at: endsAt })))
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withoutNulls(item))
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member)]))
}
