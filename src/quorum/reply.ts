/** Why a reply does not count: silence, refusal to talk, or nonsense (quorum.md#faults-never-agree). */
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

/** Whether this daemon's own limits prevented the request or the reply. No voter is blamed for it. */
export function isOwnLimit(reply: Reply): boolean {
  return reply.kind === 'fault' && (reply.fault === 'busy' || reply.fault === 'held-back')
}

/** One element of a list that may be agreed on by itself. */
export interface Item {
  /** Identifies the item across lists. */
  readonly key: string
  /** Two votes are equal exactly if the items are. */
  readonly vote: string
  /** If two versions win, the one with the later text is served. */
  readonly later: string
}

/** One element of an ordered history, such as an update. The code calls it a step. */
export interface Step {
  readonly vote: string
  /** Elements of one moment (`record_time`) are never served apart. */
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
       * The value has the cryptographic hash that the request named, so no other voter has to confirm it
       * (quorum.md#no-way-around-the-quorum).
       */
      readonly proven?: true
      /** Orders values if several can win (by-party): the first by code point is served. */
      readonly rank?: string
      /** The elements of a list, in the reply's order. */
      readonly items?: readonly Item[] | undefined
      /** The elements of an ordered history, from its beginning. */
      readonly steps?: readonly Step[] | undefined
    }
  | { readonly kind: 'refusal'; readonly vote: string }
  | { readonly kind: 'abstention'; readonly reason: string }
  | { readonly kind: 'fault'; readonly fault: FaultKind }
