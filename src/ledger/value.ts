/**
 * A Daml value in the JSON form of Canton's JSON Ledger API (JsonCodec.scala): Int64, Decimal, Time, Party and
 * ContractId are strings, an Optional is null or its value, a GenMap is a list of pairs, a variant has a tag.
 * Decimals have all ten places here (`1.0000000000`); printers shorten them.
 */
export type DamlValue =
  | null
  | boolean
  | string
  | readonly DamlValue[]
  | { readonly [field: string]: DamlValue }

export type DamlRecord = { readonly [field: string]: DamlValue }

/** `identifier::1220<64 hex>` */
export type Party = string
/** `00<64 hex>ca111220<64 hex>`. Each contract of a ledger has its own. */
export type ContractId = string
/** `<64 hex package id>:Module.Path:Entity` */
export type TemplateId = string
/** Microseconds since 1970 UTC. In JSON: `2026-05-04T09:15:02.104233Z`. */
export type Micros = number
