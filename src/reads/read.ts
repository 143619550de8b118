import type { z } from 'zod'
import type { Size } from '../lib/bytes.ts'
import type { Duration } from '../lib/clock.ts'

/** A read's parameters after parsing, by name; what is not given is absent. The cache key is made of these. */
export type Params = Readonly<Record<string, string>>

/** What is asked: a read, and its parameters. */
export interface Question {
  readonly read: Read
  readonly params: Params
}

/** A parameter of the path or of the query. Its types say how callers write it; `Param` alone is any of them. */
export interface Param<Name extends string = string, Value = unknown, Required extends boolean = boolean> {
  readonly name: Name
  readonly in: 'path' | 'query'
  readonly required: Required
  /** Whether a query may give it several times; its canonical text is then a JSON list of texts, in order, each once. */
  readonly list?: true
  /** The canonical text of one. Throws `SpliceError` for a bad one. */
  readonly parse: (text: string) => string
  /** For descriptions of the API, and for what callers write. */
  readonly schema: z.ZodType<Value>
  readonly description: string
}

/** An unordered list whose elements may be agreed on one by one (quorum.md#lists-item-by-item). */
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

/**
 * An ordered history, of which a beginning may be agreed on where pages differ
 * (quorum.md#the-beginning-of-a-history).
 */
export interface HistoryOf<Value, Element> {
  readonly on: 'history'
  readonly list: (value: Value) => readonly Element[]
  /** Elements of one moment are never served apart. */
  readonly moment: (element: Element) => string
  /** The value that these elements make. */
  readonly make: (elements: readonly Element[]) => Value
}

/**
 * A value of which honest voters may give several. One that a threshold gives is served; the first by `rank` only of those
 * that were heard before one was served (quorum.md#several-true-values).
 */
export interface RankedOf<Value> {
  readonly on: 'ranked'
  readonly rank: (value: Value) => string
  /** How values are ranked, as the end of "the first ...". */
  readonly by: string
  /** Whether a scan gives any one of several such values, so that another one contradicts nobody; none where left out. */
  readonly isPick?: (value: Value) => boolean
}

/** Items as readers of the table see them. */
export type AnyItems = ItemsOf<unknown, unknown>
export type AnyHistory = HistoryOf<unknown, unknown>

/** How votes are compared. */
export type AgreementRule<Value> = { readonly on: 'whole' } | RankedOf<Value> | AnyItems | AnyHistory

/** A request body that is part of the question: its canonical text is the parameter `body`. */
export interface RequestBody<Schema extends z.ZodType = z.ZodType> {
  /** What may be asked. Members that it does not know are no part of the question. */
  readonly schema: Schema
  readonly maxBytes: Size
}

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

/** The same for several contracts at once. */
export interface CachedContracts<Value> {
  /** The members of the request body that hold the caller's contract ids; each of them is required. */
  readonly fields: readonly string[]
  readonly withoutContracts: (value: Value, known: ReadonlySet<string>) => unknown
}

/** What one question needs of the history, and how a scan is asked whether it has loaded that. */
export interface Holding {
  readonly method: 'GET' | 'POST'
  /** Below `/api/scan`. */
  readonly path: string
  readonly body?: string
  /** What a scan says of itself, as far as it matters here. */
  readonly reply: z.ZodType
  /** Whether one that says this has it; null where it says that it has nothing. */
  readonly isHeldBy: (said: unknown) => boolean
  /** A scan has to hold this too, where one ask does not tell all. */
  readonly and?: Holding
}

/** A row's column: what of the history an answer is made of. */
export interface Holders {
  /** Who is asked first, as the end of "those that ...". */
  readonly sentence: string
  readonly of: (params: Params) => Holding
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
  /** What `scanPath` is below, here and on every scan: `/api/scan`, or nothing for the token registry. */
  readonly base?: ''
  /** Below the base; `{name}` stands for a path parameter. */
  readonly scanPath: string
  /** Whether it is also served at the root, without `/api/scan`. */
  readonly root: boolean
  readonly proxy?: ProxyForm<Value>
  readonly params: readonly Param[]
  readonly body?: RequestBody
  /** The JSON text that scans are sent where the question has no body of its own; the same for every caller. */
  readonly upstreamBody?: string
  readonly cachedContract?: CachedContract<Value>
  readonly cachedContracts?: CachedContracts<Value>
  /** The fields that the vote is about: unknown ones are dropped, absent optional ones become null. */
  readonly reply: z.ZodType<Value>
  /** Whether a well-formed reply answers what was asked; true for every one where it is left out. */
  readonly answers?: (value: Value, params: Params) => boolean
  /** Why a well-formed reply says nothing about what was asked: an abstention. Undefined where it does. */
  readonly abstains?: (value: Value) => string | undefined
  /**
   * What is answered where too many abstain for anything to be agreed on: a constant that says nothing about the ledger. An
   * error is answered where it is left out.
   */
  readonly undecided?: Value
  /**
   * Whether a reply has the cryptographic hash that the request names: one such reply is enough
   * (quorum.md#no-way-around-the-quorum). A reply with another hash is a vote like any other.
   * @param sha256 in lower-case hex, of UTF-8.
   */
  readonly proves?: (value: Value, params: Params, sha256: (text: string) => string) => boolean
  /**
   * What is voted on, and served, in place of what a node says by itself: sorted lists, constants for what differs among
   * honest nodes.
   */
  readonly normalise?: (value: Value) => Value
  /**
   * Members of the reply in which a node names itself, which `normalise` fills with a constant: bodies that differ in
   * nothing else are compared without parsing.
   */
  readonly ownTexts?: readonly string[]
  /** What `normalise` does, for the description of the read. */
  readonly normalises?: string
  readonly agree: AgreementRule<Value>
  /**
   * The texts of a 404 that mean absence; every other 404 abstains. One that ends in `*` stands for all that begin so, and
   * an empty one for an empty body. The first is what callers are told.
   */
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
  /**
   * The most elements and members that a reply may have, however short they are: it bounds what judging a reply costs.
   * One for each 16 bytes of `maxBytes` where it is left out, and in no case more than about a million.
   */
  readonly maxElements?: (params: Params) => number
  /**
   * For answers made of history, which scans load bit by bit: who is asked first, as they say by themselves. Whoever says
   * that it does not have it is asked last, and counted as anybody else.
   */
  readonly holders?: Holders
}

/** A row with what is known of its question and of its answer, as types alone. */
export interface TypedRead<Value, Given extends readonly Param[], Schema> extends Read {
  readonly types?: { readonly value: Value; readonly params: Given; readonly body: Schema }
}

/** A row of the table. Readers of the table see `Read`; those who call a read by its name see its types. */
export function defineRead<
  Value,
  const Given extends readonly Param[],
  Schema extends z.ZodType = z.ZodNever,
>(
  read: Read<Value> & { readonly params: Given; readonly body?: RequestBody<Schema> },
): TypedRead<Value, Given, Schema> {
  return read as Read
}

/** The types of a list and of its elements are known only to the row itself. */
export function itemsOf<Value, Element>(items: ItemsOf<Value, Element>): AnyItems {
  return items as unknown as AnyItems
}

export function historyOf<Value, Element>(history: HistoryOf<Value, Element>): AnyHistory {
  return history as unknown as AnyHistory
}

/** A scan that has not loaded the history says this in a 503 (HttpScanHandler.scala of Splice 0.7.5). */
const notReplicated = /^This scan instance has not yet replicated all data/

const noSuchPath = /^The requested resource could not be found/

/** What an abstention says that is no news: a scan that has just started, or whose release or history lacks what is asked. */
export const knownAbstentions: readonly RegExp[] = [
  /^No DsoRules contract found/,
  /^(?:Undetermined|CannotProvide)$/,
  noSuchPath,
  notReplicated,
]

/** Whether an abstention's reason, or the text of a 503, is that the node has not loaded the history. */
export function lacksHistory(reason: string): boolean {
  return notReplicated.test(reason)
}

/** Whether an abstention's reason is that the node's release does not have the path. */
export function lacksPath(reason: string): boolean {
  return noSuchPath.test(reason)
}
