/**
 * A Daml value as Canton's JSON Ledger API writes it (JsonCodec.scala):
 * - An Int64, Decimal, Time, Party or ContractId is a string.
 * - An Optional is null or its value, a GenMap is a list of pairs, and a variant has a `tag` and a
 *   `value`.
 * - A Decimal has all ten decimal places (`1.0000000000`).
 */
export type DamlValue =
  | null
  | boolean
  | string
  | readonly DamlValue[]
  | { readonly [field: string]: DamlValue }

export type DamlRecord = { readonly [field: string]: DamlValue }

/** A party id: `identifier::1220<64 hex>`. */
export type Party = string
/** A contract id. The embedded ledger makes ids of the form `00<64 hex>ca111220<64 hex>`. */
export type ContractId = string
/** A template id: `<64 hex package id>:Module.Path:Entity`. */
export type TemplateId = string

export function templateNameOf(templateId: TemplateId): string {
  return templateId.slice(templateId.indexOf(':') + 1)
}

/** Microseconds since 1970 UTC. In JSON, a time is a string: `2026-05-04T09:15:02.104233Z`. */
export type Micros = number

/** The syntax of a party id in Daml (`Ref.Party`). */
const partyText = /^[a-zA-Z0-9:\-_ ]{1,255}$/

export function isParty(text: string): boolean {
  return partyText.test(text)
}

/** Returns the parties sorted, without repetitions. */
export function partySet(...groups: readonly (readonly Party[])[]): readonly Party[] {
  return [...new Set(groups.flat())].sort()
}

export function covers(authority: readonly Party[], needed: readonly Party[]): boolean {
  return needed.every((party) => authority.includes(party))
}

export function meet(a: readonly Party[], b: readonly Party[]): boolean {
  return a.some((party) => b.includes(party))
}
