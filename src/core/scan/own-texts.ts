import { canonicalJson, isJsonObject, type Json } from '../../base/lib/canonical-json.ts'
import { parseJsonText } from '../../base/lib/parse-json-text.ts'
import type { Read } from '../reads/read.ts'
import { withoutNulls } from '../reads/reading.ts'

/**
 * The texts of a body that take no part in the vote, by their place: the texts of `Read.own`, and, of
 * payloads, where members are null that other scans may leave out.
 */
export type TextsApart = ReadonlyMap<string, string>

interface Separated {
  readonly voted: unknown
  readonly own: TextsApart
}

/**
 * Separates what is voted on from what takes no part in the vote.
 * @param hasNulls whether a payload in the value has a member that is null.
 */
export function separate(read: Read, value: unknown, hasNulls: boolean): Separated {
  const own = new Map<string, string>()
  read.own?.of(value).forEach((text, at) => {
    if (text !== null) own.set(ownKey(at), text)
  })
  const common = read.own === undefined ? value : read.own.put(value, () => null)
  if (!hasNulls) return { voted: common, own }
  const voted = withoutNulls(read, common)
  const elements = elementsOf(read, common)
  elementsOf(read, voted).forEach((element, at) => {
    const nulls = nullsIn(elements[at] as Json, element as Json)
    if (nulls !== undefined) own.set(nullsKey(at), canonicalJson(nulls))
  })
  return { voted, own }
}

/** Puts texts that enough voters sent alike back to their places in the agreed value. */
export function withOwnTexts(read: Read, voted: unknown, own: TextsApart): unknown {
  const value = read.own === undefined ? voted : read.own.put(voted, (at) => own.get(ownKey(at)) ?? null)
  const full = elementsOf(read, value).map((element, at) => {
    const nulls = own.get(nullsKey(at))
    return nulls === undefined ? element : withNulls(element as Json, parseJsonText(nulls) as Nulls)
  })
  return read.agree.on === 'history' ? read.agree.make(full) : full[0]
}

/** The parts of a value that are agreed on one by one. The items of a list have no payloads. */
function elementsOf({ agree }: Read, value: unknown): readonly unknown[] {
  return agree.on === 'history' ? agree.list(value) : [value]
}

function ownKey(at: number): string {
  return `own ${at}`
}

function nullsKey(at: number): string {
  return `nulls ${at}`
}

/** The places of null members: each member that has some, by its name or its place in a list. */
interface Nulls {
  readonly [member: string]: Nulls | null
}

function nullsIn(value: Json, voted: Json | undefined): Nulls | null | undefined {
  if (value === voted) return undefined
  if (voted === undefined) return null
  if (!Array.isArray(value) && !isJsonObject(value)) return undefined
  const members = Object.entries(value).flatMap(([name, member]) => {
    const nulls = nullsIn(member, memberOf(voted, name))
    return nulls === undefined ? [] : [[name, nulls] as const]
  })
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

function memberOf(value: Json, name: string): Json | undefined {
  return Object.hasOwn(value as object, name) ? (value as Record<string, Json>)[name] : undefined
}

function withNulls(value: Json, nulls: Nulls): Json {
  const full = Object.entries(nulls).map(([name, inside]): [string, Json] => [
    name,
    inside === null ? null : withNulls(memberOf(value, name) as Json, inside),
  ])
  if (!Array.isArray(value)) return { ...(value as object), ...Object.fromEntries(full) }
  const members = Object.fromEntries(full)
  return value.map((member, at) => members[at] ?? member)
}
