/** Why a reply counts for nothing: silence, refusal to talk, or nonsense (quorum.md#faults-never-agree). */
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

/** Whether a voter was not asked, or its reply not taken, because of this daemon's own limits: nobody is blamed for it. */
export function isOwnLimit(reply: Reply): boolean {
  return reply.kind === 'fault' && (reply.fault === 'busy' || reply.fault === 'held-back')
}

/** One element of a list that may be agreed on by itself. */
export interface Item {
  /** What makes it the same item in two lists. */
  readonly key: string
  /** Equal exactly when the items are equal. */
  readonly vote: string
  /** Of two versions that both win, the one with the later text wins. */
  readonly later: string
}

/** One step of an ordered history. */
export interface Step {
  readonly vote: string
  /** Steps of one moment (`record_time`) are never served apart. */
  readonly moment: string
}

/**
 * What one super validator said to one ask. `vote` is an opaque token: two replies of one kind agree exactly
 * when their votes are equal.
 */
export type Reply =
  | {
      readonly kind: 'value'
      readonly vote: string
      /**
       * It has the cryptographic hash that the request named: nobody else has to say the same
       * (quorum.md#no-way-around-the-quorum).
       */
      readonly proven?: true
      /** Orders values where several may win (by-party): of those heard the first by code point is served. */
      readonly rank?: string
      /** The parts of a list, in the reply's order. */
      readonly items?: readonly Item[] | undefined
      /** The parts of an ordered history, from its beginning. */
      readonly steps?: readonly Step[] | undefined
    }
  | { readonly kind: 'refusal'; readonly vote: string }
  | { readonly kind: 'abstention'; readonly reason: string }
  | { readonly kind: 'fault'; readonly fault: FaultKind }
