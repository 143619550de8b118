/**
 * The possible faults. A fault is not a vote (quorum.md#faults-never-agree).
 * - `blocked`, `busy`, `held-back`: this daemon did not send the request, or did not finish it. With `busy`,
 *   it may also have received a body that it could not check.
 * - All others: the scan gave no response, or a response whose status or body cannot be used.
 */
export const faultKinds = [
  'unreachable',
  'blocked',
  'reset',
  'timeout',
  'busy',
  'held-back',
  'unauthorized',
  'rate-limited',
  'redirect',
  'server-error',
  'unexpected-status',
  'oversized',
  'truncated',
  'not-json',
  'misshapen',
  'wrong-answer',
] as const

export type FaultKind = (typeof faultKinds)[number]

/**
 * Whether a fault comes from this daemon's limits, from a pause that the scan requested, or from an operator
 * who set the voter aside. The voter is then not to blame.
 */
export function isOwnLimit(reply: Reply): boolean {
  return reply.kind === 'fault' && (reply.fault === 'busy' || reply.fault === 'held-back')
}

/** One element of a list in which each element may be agreed on separately. */
export interface Item {
  /** Identifies the item in all lists. */
  readonly key: string
  /** A token for the content of the item. Two items have equal tokens exactly if their contents are equal. */
  readonly vote: string
  /**
   * A string that is larger for a later version of the item. If two versions reach the threshold, the later
   * version is served.
   */
  readonly later: string
}

/** One element of an ordered history, such as an update. */
export interface Step {
  readonly vote: string
  /**
   * A string that all elements of the same moment share (`HistoryOf.moment`). Elements of one moment are
   * served together or not at all.
   */
  readonly moment: string
}

/**
 * The reply of one super validator to one request. `vote` is an opaque token: two replies of one `kind` agree
 * exactly if their votes are equal.
 */
export type Reply =
  | {
      readonly kind: 'value'
      readonly vote: string
      /**
       * True if the value has the cryptographic hash that the request contained. No other voter then has to
       * confirm it (quorum.md#no-way-around-the-quorum).
       */
      readonly proven?: true
      /**
       * Present if several values may reach the threshold, as in lookups by party. The daemon then serves the
       * value with the smallest `rank` (compared with `<`).
       */
      readonly rank?: string
      /** The elements of a list, in the reply's order. Undefined unless the read is agreed item by item. */
      readonly items?: readonly Item[] | undefined
      /**
       * The elements of an ordered history, from its beginning. Undefined unless the replies to the read are
       * compared as histories.
       */
      readonly steps?: readonly Step[] | undefined
    }
  | { readonly kind: 'refusal'; readonly vote: string }
  | { readonly kind: 'abstention'; readonly reason: string }
  | { readonly kind: 'fault'; readonly fault: FaultKind }
