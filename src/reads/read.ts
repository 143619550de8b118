import type { z } from 'zod'
import type { Size } from '../lib/bytes.ts'
import type { Duration } from '../lib/clock.ts'

/** A read's parameters after parsing, by name; what is not given is absent. The cache key is made of these. */
export type Params = Readonly<Record<string, string>>

/** A parameter of the path or of the query. */
export interface Param {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  /** The canonical text. Throws `SpliceError` for a bad one. */
  readonly parse: (text: string) => string
  /** For descriptions of the API. */
  readonly schema: z.ZodType
  readonly description: string
}

/** An unordered list whose elements may be agreed on one by one (quorum.md 14). */
export interface ItemsOf<Value, Element> {
  readonly on: 'items'
  readonly list: (value: Value) => readonly Element[]
  readonly key: (element: Element) => string
  /** A text that sorts later for the later version of one key. */
  readonly later: (element: Element) => string
  /** How many elements fill a reply; a full one may have left some out. */
  readonly fullPage: (params: Params) => number
  /** The value that these elements make, in the order that is served. */
  readonly make: (elements: readonly Element[], params: Params) => Value
}

/** Items as readers of the table see them. */
export type AnyItems = ItemsOf<unknown, unknown>

/** How votes are compared. */
export type Agreement<Value> =
  | { readonly on: 'whole' }
  /** Where several values win, the first by `rank` is served. */
  | { readonly on: 'ranked'; readonly rank: (value: Value) => string }
  | AnyItems

/** The form a read takes under `/v0/scan-proxy`, where it has one. */
export interface ProxyForm<Value> {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Splice's own text for an absence, in place of the scans' text. */
  readonly absent?: string
  /** The body served in place of the scans' body. */
  readonly serve?: (value: Value) => unknown
}

/** Splice's cached-contract protocol: a caller that names the current contract is spared its content. */
export interface CachedContract<Value> {
  /** The member of the request body that holds the caller's contract id. */
  readonly field: string
  /** Other members that the body may have. */
  readonly alsoAllowed: readonly string[]
  readonly contractId: (value: Value) => string
  readonly withoutContract: (value: Value) => unknown
}

/**
 * One thing that can be asked: everything that is special about it, and nothing about how reads work. Routes, requests
 * to scans, votes, caching and descriptions follow from it.
 */
export interface Read<Value = unknown> {
  /** The operation's name in Splice's scan.yaml. */
  readonly id: string
  readonly summary: string
  readonly method: 'GET' | 'POST'
  /** Below `/api/scan`, here and on every scan; `{name}` stands for a path parameter. */
  readonly scanPath: string
  /** Whether it is also served at the root, without `/api/scan`. */
  readonly root: boolean
  readonly proxy?: ProxyForm<Value>
  readonly params: readonly Param[]
  /** The JSON text that scans are sent; the same for every caller. */
  readonly upstreamBody?: string
  readonly cachedContract?: CachedContract<Value>
  /** The fields that the vote is about: unknown ones are dropped, absent optional ones become null. */
  readonly reply: z.ZodType<Value>
  /** Whether a well-formed reply answers what was asked; true for every one where it is left out. */
  readonly answers?: (value: Value, params: Params) => boolean
  readonly agree: Agreement<Value>
  /** The texts of a 404 that mean absence; every other 404 abstains. */
  readonly absent: readonly string[]
  readonly cache: {
    readonly fresh: Duration
    /** The age until which an answer is served while it is refreshed. */
    readonly stale: Duration
    /** How long an agreed refusal is served. */
    readonly absent: Duration
    /** The times inside a value at which it stops being true, ISO 8601 or null. */
    readonly ends?: (value: Value) => readonly (string | null)[]
  }
  readonly maxBytes: Size
}

/** A row of the table. Its type is that of its reply; readers of the table see `Read`. */
export function defineRead<Value>(read: Read<Value>): Read {
  return read as Read
}

/** The types of a list and of its elements are known only to the row itself. */
export function itemsOf<Value, Element>(items: ItemsOf<Value, Element>): AnyItems {
  return items as unknown as AnyItems
}

/** What an unknown 404 is, without being news: a scan that has just started, or one whose release lacks the path. */
export const knownAbstentions: readonly RegExp[] = [
  /^No DsoRules contract found/,
  /^The requested resource could not be found/,
]
