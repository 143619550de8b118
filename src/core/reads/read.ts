import { bytes, type Size } from '../../base/lib/bytes.ts'
import type { Duration } from '../../base/lib/clock.ts'
import type { Endpoint } from './endpoint.ts'
import { endpoints, type ReadId, type Value } from './endpoints.ts'
import type { Pattern, PatternOf } from './pattern.ts'

/**
 * The parameters of a question as canonical texts, by name, without those that the caller left out.
 * They are part of the cache key.
 */
export type Params = Readonly<Record<string, string>>

export interface Question {
  readonly read: Read
  readonly params: Params
  /** The page that the caller continues, if the read has `pages`. */
  readonly page?: ContinuedPage
}

/** The token with which a scan continues a page. It means something to that scan only. */
export type PageToken = number | string

export interface ContinuedPage {
  /** The token that each super validator gave with the page before, by its name. */
  readonly tokens: ReadonlyMap<string, PageToken>
  /** The members of the caller's body, without its token. */
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * How a read continues a page (quorum.md#page-by-page). The body of the question has the members
 * `after`, `page_size`, `record_time` and `record_time_match`.
 */
export interface Pages<Said> {
  /** Returns the token with which this scan gives the next page; undefined if there is none. */
  readonly next: (said: Said) => PageToken | undefined
  /** Returns the path that takes the token. */
  readonly pathTaking: (token: PageToken) => string
  /** The time that all pages of a sequence have, in canonical form. */
  readonly time: (said: Said) => string
  /** Stands in the vote, and at the end of the printed page, for the token of this daemon. */
  readonly mark: string
}

/**
 * An unordered list whose elements the vote may decide one by one (quorum.md#lists-item-by-item).
 */
export interface ItemsOf<Value, Element> {
  readonly on: 'items'
  readonly list: (value: Value) => readonly Element[]
  readonly key: (element: Element) => string
  /**
   * Returns a text that is larger for a later version of the element. Versions of one element have
   * the same key.
   */
  readonly later: (element: Element) => string
  /**
   * Returns the maximum number of elements of a reply. A scan whose reply has this many elements
   * may have more of them.
   */
  readonly fullPage: (params: Params) => number
  readonly make: (elements: readonly Element[], params: Params) => Value
}

/**
 * An ordered history. If scans send different pages, these scans may still agree on the beginning of
 * the page (quorum.md#the-beginning-of-a-history).
 */
export interface HistoryOf<Value, Element> {
  readonly on: 'history'
  readonly list: (value: Value) => readonly Element[]
  /**
   * Returns a text that is equal for elements of the same moment. The daemon serves all elements of
   * a moment or none.
   */
  readonly moment: (element: Element) => string
  readonly make: (elements: readonly Element[]) => Value
}

/**
 * A value that may differ between honest voters (quorum.md#several-true-values). If values differ,
 * the daemon asks all voters, and serves the first value by `rank` with enough votes.
 */
export interface RankedOf<Value> {
  readonly on: 'ranked'
  readonly rank: (value: Value) => string
  readonly rankInWords: string
  /**
   * Whether the value is one of several true values, of which each scan picks any. If absent, every
   * value with too few votes contradicts the served one.
   */
  readonly isPick?: (value: Value) => boolean
}

/**
 * A time that each voter has reached by itself and that only grows. The daemon asks all voters, and
 * serves the latest time that enough voters have reached (quorum.md#a-time-that-was-reached).
 */
export interface ReachedTimeOf<Value> {
  readonly on: 'reached'
  /** Returns a text that sorts like the time. */
  readonly time: (value: Value) => string
}

/**
 * A text of each element of a value that honest scans may give differently. The vote does not cover
 * it (quorum.md#members-that-are-not-voted-on).
 */
export interface OwnTexts<Value> {
  readonly of: (value: Value) => readonly (string | null)[]
  /** Returns the value with the text that `textAt` gives for each element. */
  readonly put: (value: Value, textAt: (index: number) => string | null) => Value
}

export type AnyItems = ItemsOf<unknown, unknown>
export type AnyHistory = HistoryOf<unknown, unknown>

export type AgreementRule<Value> =
  | { readonly on: 'whole' }
  | RankedOf<Value>
  | ReachedTimeOf<Value>
  | AnyItems
  | AnyHistory

/**
 * Shows which of two answers is older, so that the daemon never serves the older one after the
 * newer one (quorum.md#never-back).
 */
export interface VersionOf<Value> {
  /**
   * Returns a text that never gets smaller as the ledger grows. Undefined if the value does not
   * show its age.
   */
  readonly of: (value: Value, params: Params) => string | undefined
  /**
   * Whether an absence is newer or older than a value that was served before.
   * - `newer`: the contract may have been archived since then.
   * - `older`: the contract cannot have been archived, at least not before its end (`cache.ends`),
   *   so the absence is out of date.
   */
  readonly absence: 'newer' | 'older'
  /**
   * True if callers can ask any number of different questions with this read. The daemon then
   * limits how many versions it remembers for such reads, so that these versions cannot displace
   * the versions of other reads.
   */
  readonly hasUnboundedQuestions?: true
}

/**
 * The forms in which scans of different releases answer one question. The daemon asks each scan in
 * the first form that the scan knows, and compares the values, whatever form they came in.
 */
export interface Forms<Said = unknown> {
  /** The paths of the forms, the newest first. Their requests differ in nothing else. */
  readonly paths: readonly string[]
  /** The shape of a scan's reply at any of the paths. `Read.normalise` makes the row's value of it. */
  readonly reply: PatternOf<Said>
}

export interface ProxyForm<Value> {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly absent?: string
  readonly serve?: (value: Value) => unknown
}

/**
 * The history that a question needs, and the request by which a scan tells whether it holds this
 * history.
 */
export interface Holding {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  readonly reply: Pattern
  readonly isHeldBy: (said: unknown) => boolean
  /** A scan that does not know the path is asked this instead. */
  readonly otherwise?: Holding
  readonly and?: Holding
}

/**
 * The scans that hold the history that a question needs. A scan that lacks this history is asked
 * last, but its vote counts like any other.
 */
export interface Holders {
  readonly sentence: string
  readonly of: (params: Params) => Holding
}

interface CacheTimes<Value> {
  readonly fresh: Duration
  readonly stale: Duration
  readonly absent: Duration
  /**
   * Returns the times at which parts of the value expire: ISO 8601, or null for never. The
   * earliest one counts.
   */
  readonly ends?: (value: Value) => readonly (string | null)[]
}

/** A row that says what a quorum needs to know of one read beside its endpoint. */
interface Policy<Value, Said> {
  readonly summary: string
  readonly forms?: Forms<Said>
  readonly pages?: Pages<Said>
  /** Whether the daemon also serves the read at `scanPath` without the prefix `/api/scan`. */
  readonly alsoWithoutPrefix?: true
  readonly proxy?: ProxyForm<Value>
  readonly cachedContract?: CachedContract
  readonly cachedContracts?: CachedContracts
  readonly answersQuestion?: (value: Said, params: Params) => boolean
  /**
   * Returns the reason why a well-formed reply counts as an abstention; undefined if the reply is a
   * vote.
   */
  readonly abstains?: (value: Said) => string | undefined
  /**
   * The answer if too many scans abstain, which states nothing about the ledger. If absent, callers
   * get an error.
   */
  readonly undecided?: Value
  /**
   * Whether `value` has the cryptographic hash that the request contains. One such reply is enough
   * for an answer (quorum.md#no-way-around-the-quorum).
   * @param sha256 hashes the UTF-8 bytes of a text; returns lower-case hex.
   */
  readonly proves?: (value: Said, params: Params, sha256: (text: string) => string) => boolean
  /**
   * Converts a scan's value to the value that is voted on and served. For example, it sorts a list,
   * or puts constants into fields that differ among honest scans.
   */
  readonly normalise?: (value: Said) => Value
  readonly normalises?: string
  readonly own?: OwnTexts<Value>
  /** The vote is on the whole value unless the row says otherwise. */
  readonly agree?: AgreementRule<Value>
  readonly version?: VersionOf<Value>
  /**
   * The texts of a 404 that mean absence, none by default; any other 404 is an abstention. Callers
   * get the first text.
   * - A text that ends in `*` matches every text with that beginning, except known abstentions
   *   (`isKnownAbstention`).
   * - An empty text matches an empty body.
   */
  readonly absent?: readonly string[]
  /** How long caches keep an answer; by default as in `usualCache`. */
  readonly cache?: CacheTimes<Value>
  /** The longest body of a caller. */
  readonly maxBodyBytes?: Size
  /** The longest reply of a scan, 64 KiB by default. */
  readonly maxBytes?: Size
  /**
   * Returns the maximum number of elements and fields of a reply, which limits the cost of parsing.
   * By default, it is one for each 16 bytes of `maxBytes`.
   */
  readonly maxElements?: (params: Params) => number
  readonly holders?: Holders
}

/**
 * A row of the table of reads: everything that is specific to one read. Routes, requests, votes,
 * caching and API descriptions follow from it.
 */
export interface Read<Value = unknown, Said = Value>
  extends Endpoint<Value>,
    Omit<Policy<Value, Said>, 'maxBytes'> {
  readonly id: string
  readonly agree: AgreementRule<Value>
  readonly absent: readonly string[]
  readonly cache: CacheTimes<Value>
  readonly maxBytes: number
}

const usualCache = { fresh: '1m', stale: '10m', absent: '5s' } as const

export function defineRead<const Id extends ReadId, Said = Value<Id>>(
  id: Id,
  policy: Policy<Value<Id>, NoInfer<Said>> & { readonly forms?: Forms<Said> },
): Read {
  const usual = { agree: { on: 'whole' }, absent: [], cache: usualCache }
  const maxBytes = bytes(policy.maxBytes ?? '64KiB')
  return { id, ...usual, ...endpoints[id], ...policy, maxBytes } as Read
}

export function itemsOf<Value, Element>(items: ItemsOf<Value, Element>): AnyItems {
  return items as unknown as AnyItems
}

export function historyOf<Value, Element>(history: HistoryOf<Value, Element>): AnyHistory {
  return history as unknown as AnyHistory
}

/**
 * Splice's way to save bandwidth for a contract: if the caller sends the id of the current
 * contract, the answer has null in place of the contract.
 */
interface CachedContract {
  /** The only member of the answer, which has the contract. */
  readonly member: string
  /** The members of the caller's body: the id, and one that changes nothing. */
  readonly fields: readonly [id: string, domain: string]
}

/**
 * Splice's way to save bandwidth for several contracts: the answer has null in place of each
 * contract whose id the caller sent.
 */
interface CachedContracts {
  /** The members of the answer that have contracts by their ids. */
  readonly members: readonly string[]
  /** The members of the caller's body, lists of ids. */
  readonly fields: readonly string[]
}
