import type { z } from 'zod'
import type { Size } from '../lib/bytes.ts'
import type { Duration } from '../lib/clock.ts'
import type { CachedContract, CachedContracts } from './cached-contract.ts'
import type { ParseParam, PlainParam } from './param-text.ts'
import type { RepeatedParam } from './repeated-param.ts'

/**
 * The parameters of a question as canonical texts, by name. Parameters that the caller left out are not in it. The
 * parameters are part of the cache key.
 */
export type Params = Readonly<Record<string, string>>

export interface Question {
  readonly read: Read
  readonly params: Params
}

/**
 * A parameter of a read, with its parser and its description. The type arguments describe the values that
 * callers write; `Param` without type arguments means any parameter.
 */
export interface Param<Name extends string = string, Value = unknown, Required extends boolean = boolean>
  extends PlainParam<Name, Required> {
  /**
   * Returns the canonical text of one value.
   * @throws SpliceError for an invalid value.
   */
  readonly parse: ParseParam
  /** The schema of a caller's value, for API descriptions and for the types of arguments. */
  readonly schema: z.ZodType<Value>
  readonly description: string
}

/** An unordered list whose elements the vote may decide one by one (quorum.md#lists-item-by-item). */
export interface ItemsOf<Value, Element> {
  readonly on: 'items'
  readonly list: (value: Value) => readonly Element[]
  readonly key: (element: Element) => string
  /**
   * Returns a text that orders the versions of an element: a later version has a larger text. Versions of one element
   * have the same key.
   */
  readonly later: (element: Element) => string
  /**
   * Returns the maximum number of elements of a reply. If a reply has this many elements, the scan may have
   * more.
   */
  readonly fullPage: (params: Params) => number
  /**
   * Makes a value from elements, and puts them into the order in which the daemon serves them. Called with
   * the elements of one reply before the vote, and with the agreed elements after the vote.
   */
  readonly make: (elements: readonly Element[], params: Params) => Value
}

/**
 * An ordered history. If the pages of scans differ, the scans may still agree on the beginning
 * (quorum.md#the-beginning-of-a-history).
 */
export interface HistoryOf<Value, Element> {
  readonly on: 'history'
  readonly list: (value: Value) => readonly Element[]
  /**
   * Returns a text that is equal for elements of the same moment. The daemon serves either all elements of a moment or
   * none.
   */
  readonly moment: (element: Element) => string
  /** Makes a value from the agreed elements. */
  readonly make: (elements: readonly Element[]) => Value
}

/**
 * A value that may differ between honest voters (quorum.md#several-true-values).
 * - If the replies so far are enough for the threshold and all have the same value, the daemon serves that
 *   value at once.
 * - If values differ, the daemon asks all voters. Of the values that reach the threshold, it serves the first
 *   by `rank`.
 */
export interface RankedOf<Value> {
  readonly on: 'ranked'
  readonly rank: (value: Value) => string
  /** The order of the ranking in words, as the end of the sentence "the daemon serves the first ...". */
  readonly by: string
  /**
   * Whether the value is one of several true values. Each scan gives an arbitrary one of them, so they do not
   * contradict each other. If `isPick` is absent, every value with fewer votes than the threshold contradicts
   * the served value.
   */
  readonly isPick?: (value: Value) => boolean
}

/** Lists and histories without the types of their values, for code that handles every read. */
export type AnyItems = ItemsOf<unknown, unknown>
export type AnyHistory = HistoryOf<unknown, unknown>

export type AgreementRule<Value> = { readonly on: 'whole' } | RankedOf<Value> | AnyItems | AnyHistory

/**
 * Shows which of two answers is older, so that the daemon never serves the older one after the newer one
 * (quorum.md#never-back).
 */
export interface VersionOf<Value> {
  /**
   * Returns the version of a value: a text that never gets smaller as the ledger grows. Undefined if the value does not
   * show how old it is.
   */
  readonly of: (value: Value, params: Params) => string | undefined
  /**
   * Whether an absence is newer or older than a value that was served before.
   * - `newer`: the contract may have been archived since then.
   * - `older`: the contract cannot have been archived, so the absence is out of date. For a value with an end
   *   (`cache.ends`), this holds only before that end.
   */
  readonly absence: 'newer' | 'older'
  /**
   * True if callers can ask any number of different questions of this read. The floors of these questions get
   * only a part of the memory for floors, so that they cannot displace the floors of other reads.
   */
  readonly manyQuestions?: true
}

/** A request body that is part of the question. Its canonical text is the parameter `body`. */
export interface RequestBody<Schema extends z.ZodType = z.ZodType> {
  /** The valid bodies. Fields that the schema does not know are not part of the question. */
  readonly schema: Schema
  readonly maxBytes: Size
}

/**
 * A second path at which the daemon serves a read, under `/v0/scan-proxy` or `/v1/scan-proxy`, and the
 * differences of the answers there.
 */
export interface ProxyForm<Value> {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** The text of an absence in Splice's own scan proxy. It replaces the scans' text. */
  readonly absent?: string
  /** Makes the body that callers get instead of the scans' body. */
  readonly serve?: (value: Value) => unknown
}

/** The history that a question needs, and the request by which a scan tells whether it holds this history. */
export interface Holding {
  readonly method: 'GET' | 'POST'
  /** The path below `/api/scan`. */
  readonly path: string
  readonly body?: string
  /** The schema of the part of the scan's reply that `isHeldBy` needs. */
  readonly reply: z.ZodType
  /**
   * Whether a scan that gave this reply holds the history that the question needs. A null reply means that the scan
   * holds nothing.
   */
  readonly isHeldBy: (said: unknown) => boolean
  /**
   * A second request, for a question whose history the first request shows only in part. A scan holds the history
   * only if both replies say so.
   */
  readonly and?: Holding
}

/**
 * The scans that hold the history that a question of this read needs. A scan that reports that it lacks this
 * history is asked last.
 */
export interface Holders {
  /**
   * Describes these scans in the documentation. The text follows the words "those that", for example "have
   * loaded all history".
   */
  readonly sentence: string
  /** Returns the history that the question with these parameters needs, and how to ask a scan whether it holds it. */
  readonly of: (params: Params) => Holding
}

/**
 * A row of the table of reads: everything that is specific to one read, and nothing about how reads work.
 * Routes, requests to scans, votes, caching and descriptions follow from it.
 */
export interface Read<Value = unknown> {
  /**
   * The operation's id in the OpenAPI file that describes it: Splice's scan.yaml, or a file of the token standard.
   */
  readonly id: string
  readonly summary: string
  readonly method: 'GET' | 'POST'
  /**
   * The path before `scanPath`, at every scan and at the daemon: `/api/scan` by default, and empty for the token
   * registry.
   */
  readonly base?: ''
  /** The path below the base. `{name}` in it is a placeholder for a path parameter. */
  readonly scanPath: string
  /** Whether the daemon also serves the read at the root, without `/api/scan`. */
  readonly root: boolean
  readonly proxy?: ProxyForm<Value>
  readonly params: readonly Param[]
  readonly body?: RequestBody
  /**
   * The JSON body that the daemon sends to scans if the question has no body of its own. The same for all
   * callers.
   */
  readonly upstreamBody?: string
  readonly cachedContract?: CachedContract<Value>
  readonly cachedContracts?: CachedContracts<Value>
  /**
   * The schema of a reply: the fields that the vote covers. Unknown fields are dropped, and absent fields get their
   * default, which is mostly null.
   */
  readonly reply: z.ZodType<Value>
  /** The field of a well-formed reply that must repeat a parameter. The daemon's client checks it as well. */
  readonly repeats?: RepeatedParam
  /**
   * Whether a well-formed reply answers the question that was asked. If `answers` is absent, only `repeats`
   * is checked.
   */
  readonly answers?: (value: Value, params: Params) => boolean
  /** Returns the reason why a well-formed reply counts as an abstention; undefined if the reply is a vote. */
  readonly abstains?: (value: Value) => string | undefined
  /**
   * The answer if too many scans abstain: a constant that states nothing about the ledger. If `undecided` is
   * absent, callers get an error instead.
   */
  readonly undecided?: Value
  /**
   * Whether `value` has the cryptographic hash that the request contains. One such reply is enough for an
   * answer (quorum.md#no-way-around-the-quorum). Any other reply is an ordinary vote. Absent if requests of
   * this read contain no hash.
   * @param sha256 hashes the UTF-8 bytes of a text; returns lower-case hex.
   */
  readonly proves?: (value: Value, params: Params, sha256: (text: string) => string) => boolean
  /**
   * Converts a scan's value to the value that is voted on and served. For example, it sorts lists, or puts
   * constants into fields that differ among honest scans.
   */
  readonly normalise?: (value: Value) => Value
  /**
   * The fields of a reply in which each scan identifies itself. `normalise` puts constants into them. If a
   * body differs from an earlier one only in these fields, the two agree, and the daemon does not parse the
   * later one.
   */
  readonly ownTexts?: readonly string[]
  /** The changes that `normalise` makes, in words, for the description of the read. */
  readonly normalises?: string
  readonly agree: AgreementRule<Value>
  /**
   * Shows which of two answers is older. Absent if a value does not show its age, or if a value that looks
   * older can be the current one.
   */
  readonly version?: VersionOf<Value>
  /**
   * The texts of a 404 that mean absence. A 404 with any other text is an abstention. Callers get the first
   * text.
   * - A text that ends in `*` matches every text with that beginning, except known abstentions
   *   (`isKnownAbstention`).
   * - An empty text matches an empty body.
   */
  readonly absent: readonly string[]
  readonly cache: {
    readonly fresh: Duration
    /** The age up to which the daemon may serve an answer while a refresh of it runs. */
    readonly stale: Duration
    /** The time for which the daemon serves an agreed absence. */
    readonly absent: Duration
    /**
     * Returns the time at which each part of the value expires: ISO 8601, or null for never. The value is served
     * until the earliest of them.
     */
    readonly ends?: (value: Value) => readonly (string | null)[]
  }
  readonly maxBytes: Size
  /**
   * Returns the maximum number of elements and fields of a reply, which limits the cost of parsing and
   * comparing it. If absent, the maximum is one element for each 16 bytes of `maxBytes`. A maximum above a
   * million has no effect.
   */
  readonly maxElements?: (params: Params) => number
  /**
   * The history that a scan must hold to answer. Only reads of history have this field, because scans load history
   * gradually. A scan that reports that it lacks the history is asked last, but its vote counts like any other.
   */
  readonly holders?: Holders
}

/** A read that also has the types of its question and of its answer. */
export interface TypedRead<Value, Given extends readonly Param[], Schema> extends Read {
  readonly types?: { readonly value: Value; readonly params: Given; readonly body: Schema }
}

/**
 * Defines a read, as a row of the table. Code that handles every read sees a row as a plain `Read`. Code for one read
 * sees the types of its value and parameters.
 */
export function defineRead<
  Value,
  const Given extends readonly Param[],
  Schema extends z.ZodType = z.ZodNever,
>(
  read: Read<Value> & { readonly params: Given; readonly body?: RequestBody<Schema> },
): TypedRead<Value, Given, Schema> {
  return read as Read
}

/** Hides the types of a list's value and elements, so that code can handle every read alike. */
export function itemsOf<Value, Element>(items: ItemsOf<Value, Element>): AnyItems {
  return items as unknown as AnyItems
}

export function historyOf<Value, Element>(history: HistoryOf<Value, Element>): AnyHistory {
  return history as unknown as AnyHistory
}
