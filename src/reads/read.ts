import type { z } from 'zod'
import type { Size } from '../lib/bytes.ts'
import type { Duration } from '../lib/clock.ts'
import type { ParseParam, PlainParam } from './param-text.ts'

/** The parsed parameters of a read by name, without absent ones. The cache key consists of them. */
export type Params = Readonly<Record<string, string>>

/** A read with its parameters. */
export interface Question {
  readonly read: Read
  readonly params: Params
}

/**
 * A parameter with what follows from its plain data. Its types describe the values that callers write; a plain `Param`
 * stands for any parameter.
 */
export interface Param<Name extends string = string, Value = unknown, Required extends boolean = boolean>
  extends PlainParam<Name, Required> {
  /**
   * Returns the canonical text of one value.
   * @throws SpliceError for an invalid value.
   */
  readonly parse: ParseParam
  /** For API descriptions, and for the types of callers' arguments. */
  readonly schema: z.ZodType<Value>
  readonly description: string
}

/** An unordered list whose elements the vote may decide one by one (quorum.md#lists-item-by-item). */
export interface ItemsOf<Value, Element> {
  readonly on: 'items'
  readonly list: (value: Value) => readonly Element[]
  readonly key: (element: Element) => string
  /** Returns a key that sorts the later version of an element last, among versions with one key. */
  readonly later: (element: Element) => string
  /** The number of elements in a full reply. A full reply may omit further elements. */
  readonly fullPage: (params: Params) => number
  /** Makes a value of these elements, in the order in which the daemon serves them. */
  readonly make: (elements: readonly Element[], params: Params) => Value
}

/**
 * An ordered history. Where pages differ, scans may still agree on the beginning
 * (quorum.md#the-beginning-of-a-history).
 */
export interface HistoryOf<Value, Element> {
  readonly on: 'history'
  readonly list: (value: Value) => readonly Element[]
  /** Elements of the same moment are never served separately. */
  readonly moment: (element: Element) => string
  /** Makes a value of these elements. */
  readonly make: (elements: readonly Element[]) => Value
}

/**
 * A value that may differ between honest voters. The daemon serves a value that a threshold of voters gives. It picks
 * the first by `rank` only among values that arrived before one was served (quorum.md#several-true-values).
 */
export interface RankedOf<Value> {
  readonly on: 'ranked'
  readonly rank: (value: Value) => string
  /** The order of the ranking, as the end of "the first ...". */
  readonly by: string
  /**
   * Whether this value is one of several true ones, of which a scan gives an arbitrary one. A different value is then no
   * contradiction. By default, no value is.
   */
  readonly isPick?: (value: Value) => boolean
}

/** Items without their types, for code that handles every row. */
export type AnyItems = ItemsOf<unknown, unknown>
export type AnyHistory = HistoryOf<unknown, unknown>

/** How the daemon compares votes. */
export type AgreementRule<Value> = { readonly on: 'whole' } | RankedOf<Value> | AnyItems | AnyHistory

/** How the rollback guard knows which of two answers is the older one (quorum.md#never-back). */
export interface VersionOf<Value> {
  /**
   * Returns a text that sorts like the age: as the ledger goes on, the text never gets smaller. Undefined if the value
   * does not say how old it is.
   */
  readonly of: (value: Value, params: Params) => string | undefined
  /**
   * What an absence is after a value: `newer` if the contract may have been archived meanwhile; `older` if it cannot
   * have been, before the value ends (`cache.ends`).
   */
  readonly absence: 'newer' | 'older'
  /** Whether a caller can make up any number of questions that have an answer. They share a part of the floors. */
  readonly manyQuestions?: true
}

/** A request body that is part of the question. Its canonical text is the parameter `body`. */
export interface RequestBody<Schema extends z.ZodType = z.ZodType> {
  /** The valid bodies. Members that the schema does not know are not part of the question. */
  readonly schema: Schema
  readonly maxBytes: Size
}

/** The form that a read may have under `/v0/scan-proxy`. */
export interface ProxyForm<Value> {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Splice's own text for an absence; it replaces the scans' text. */
  readonly absent?: string
  /** Makes the body that replaces the scans' body. */
  readonly serve?: (value: Value) => unknown
}

/** Splice's cached-contract protocol: a caller that sends the current contract's id gets the answer without it. */
export interface CachedContract<Value> {
  /** The member of the request body with the caller's contract id. */
  readonly field: string
  /** Other members that the body may have. */
  readonly alsoAllowed: readonly string[]
  readonly contractId: (value: Value) => string
  readonly withoutContract: (value: Value) => unknown
}

/** Like `CachedContract`, for an answer with several contracts: it omits those whose ids the caller sent. */
export interface CachedContracts<Value> {
  /** The required members of the request body with the caller's contract ids. */
  readonly fields: readonly string[]
  readonly withoutContracts: (value: Value, known: ReadonlySet<string>) => unknown
}

/** The history that a question needs, and the request that finds out whether a scan has loaded it. */
export interface Holding {
  readonly method: 'GET' | 'POST'
  /** The path below `/api/scan`. */
  readonly path: string
  readonly body?: string
  /** The schema of the part of the scan's reply that `isHeldBy` needs. */
  readonly reply: z.ZodType
  /** Whether a scan that replied this has the history that the question needs. Null: the scan has none. */
  readonly isHeldBy: (said: unknown) => boolean
  /** A second request, if one cannot tell everything. A scan has the history only if both say so. */
  readonly and?: Holding
}

/** The part of the history that a read needs. */
export interface Holders {
  /** The scans that are asked first, as the end of "those that ...". */
  readonly sentence: string
  readonly of: (params: Params) => Holding
}

/**
 * A row of the table: everything that is specific to one read, and nothing about how reads work. Routes, requests to
 * scans, votes, caching and descriptions follow from it.
 */
export interface Read<Value = unknown> {
  /** The operation's name in Splice's scan.yaml. */
  readonly id: string
  readonly summary: string
  readonly method: 'GET' | 'POST'
  /** The base of `scanPath`, here and on every scan: `/api/scan` by default, empty for the token registry. */
  readonly base?: ''
  /** The path below the base; `{name}` stands for a path parameter. */
  readonly scanPath: string
  /** Whether the daemon also serves the read at the root, without `/api/scan`. */
  readonly root: boolean
  readonly proxy?: ProxyForm<Value>
  readonly params: readonly Param[]
  readonly body?: RequestBody
  /**
   * The JSON text that the daemon sends to scans if the question has no body of its own. It is the same for every
   * caller.
   */
  readonly upstreamBody?: string
  readonly cachedContract?: CachedContract<Value>
  readonly cachedContracts?: CachedContracts<Value>
  /** The fields that the vote covers. Unknown fields are dropped; absent optional fields become null. */
  readonly reply: z.ZodType<Value>
  /** Whether a well-formed reply answers the question; by default, every one does. */
  readonly answers?: (value: Value, params: Params) => boolean
  /**
   * Why a well-formed reply does not answer the question, which makes it an abstention. Undefined if it does answer.
   */
  readonly abstains?: (value: Value) => string | undefined
  /**
   * The answer if too many scans abstain to agree: a constant that states nothing about the ledger. By default, the
   * answer is an error.
   */
  readonly undecided?: Value
  /**
   * Whether a reply has the cryptographic hash in the request: one such reply is enough
   * (quorum.md#no-way-around-the-quorum). A reply with another hash is an ordinary vote.
   * @param sha256 hashes the text's UTF-8 bytes, in lower-case hex.
   */
  readonly proves?: (value: Value, params: Params, sha256: (text: string) => string) => boolean
  /**
   * Makes the value that the daemon votes on and serves in place of a node's value: sorted lists, and constants for
   * members that differ among honest nodes.
   */
  readonly normalise?: (value: Value) => Value
  /**
   * Members of the reply in which a node names itself. `normalise` fills them with a constant. Bodies that differ only
   * in these members are compared without parsing.
   */
  readonly ownTexts?: readonly string[]
  /** The effect of `normalise`, for the description of the read. */
  readonly normalises?: string
  readonly agree: AgreementRule<Value>
  /** Absent if a value does not say how old it is, or if a true value may be followed by an older one. */
  readonly version?: VersionOf<Value>
  /**
   * The texts of a 404 that mean absence; every other 404 is an abstention. A text that ends in `*` matches every text
   * with that beginning. An empty text matches an empty body. Callers get the first text.
   */
  readonly absent: readonly string[]
  readonly cache: {
    readonly fresh: Duration
    /** The age up to which the daemon serves an answer while it refreshes the answer. */
    readonly stale: Duration
    /** How long the daemon serves an agreed absence. */
    readonly absent: Duration
    /** The times inside a value at which the value stops being true, ISO 8601 or null. */
    readonly ends?: (value: Value) => readonly (string | null)[]
  }
  readonly maxBytes: Size
  /**
   * The maximum number of elements and members of a reply, however short they are. It limits the cost of judging a
   * reply. By default, it is one for each 16 bytes of `maxBytes`. It never exceeds about a million.
   */
  readonly maxElements?: (params: Params) => number
  /**
   * For answers made of history, which scans load gradually: the scans that are asked first, by their own reports. A
   * scan that reports that it lacks the history is asked last, and its vote counts as any other.
   */
  readonly holders?: Holders
}

/** A row with the types of its question and of its answer. */
export interface TypedRead<Value, Given extends readonly Param[], Schema> extends Read {
  readonly types?: { readonly value: Value; readonly params: Given; readonly body: Schema }
}

/** Defines a row of the table. Code for every row sees `Read`; code for one read sees its own types. */
export function defineRead<
  Value,
  const Given extends readonly Param[],
  Schema extends z.ZodType = z.ZodNever,
>(
  read: Read<Value> & { readonly params: Given; readonly body?: RequestBody<Schema> },
): TypedRead<Value, Given, Schema> {
  return read as Read
}

/** Erases the types of the value and of its elements, which only the row itself knows. */
export function itemsOf<Value, Element>(items: ItemsOf<Value, Element>): AnyItems {
  return items as unknown as AnyItems
}

export function historyOf<Value, Element>(history: HistoryOf<Value, Element>): AnyHistory {
  return history as unknown as AnyHistory
}

/** A scan that has not loaded the history answers 503 with this text (HttpScanHandler.scala of Splice 0.7.5). */
const notReplicated = /^This scan instance has not yet replicated all data/

const noSuchPath = /^The requested resource could not be found/

/**
 * Reasons of abstentions that are expected: the scan has just started, or its release or history lacks the requested
 * data.
 */
export const knownAbstentions: readonly RegExp[] = [
  /^No DsoRules contract found/,
  /^(?:Undetermined|CannotProvide)$/,
  noSuchPath,
  notReplicated,
]

/** Whether the reason of an abstention, or the text of a 503, says that the node has not loaded the history. */
export function lacksHistory(reason: string): boolean {
  return notReplicated.test(reason)
}

/** Whether the reason of an abstention says that the node's release does not have the path. */
export function lacksPath(reason: string): boolean {
  return noSuchPath.test(reason)
}
