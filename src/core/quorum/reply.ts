import type { FaultKind } from '../../base/errors/fault-kinds.ts'

/**
 * Whether the voter is not to blame for the fault: this daemon was at a limit, the scan asked for a
 * pause, or an operator set the voter aside.
 */
export function isOwnLimit(reply: Reply): boolean {
  return reply.kind === 'fault' && (reply.fault === 'busy' || reply.fault === 'held-back')
}

export interface Item {
  readonly key: string
  /** A token for the content: two items have equal tokens exactly if their contents are equal. */
  readonly vote: string
  /**
   * A string that is larger for a later version of the item. If two versions reach the threshold,
   * the later one is served.
   */
  readonly later: string
}

export interface Step {
  readonly vote: string
  /**
   * A token that all elements of one moment share, usually of one record time. They are served
   * together or not at all.
   */
  readonly moment: string
}

/**
 * The reply of one super validator. `vote` is an opaque token: two replies of one `kind` agree
 * exactly if their votes are equal.
 */
export type Reply =
  | {
      readonly kind: 'value'
      readonly vote: string
      /**
       * True if the value has the cryptographic hash that was asked for. No other voter then has to
       * confirm it (quorum.md#no-way-around-the-quorum).
       */
      readonly proven?: true
      /**
       * The place of this value among several true values, which some reads have
       * (quorum.md#several-true-values). Of the values that reach the threshold, the daemon serves
       * the one with the smallest `rank`, compared with `<`.
       */
      readonly rank?: string
      /** The time that this value states, as a text that sorts like it (`Policy.agree` is `reached`). */
      readonly time?: string
      /**
       * True if the value is a page that others follow. After the verdict all voters are asked, so
       * that as many as possible can give the next page (quorum.md#page-by-page).
       */
      readonly continues?: true
      /**
       * A token for the texts in the value that the vote does not cover. More replies are heard if
       * these texts differ, so that each may find the threshold
       * (quorum.md#members-that-are-not-voted-on).
       */
      readonly own?: string
      readonly items?: readonly Item[] | undefined
      readonly steps?: readonly Step[] | undefined
    }
  | { readonly kind: 'refusal'; readonly vote: string }
  | { readonly kind: 'abstention'; readonly reason: string }
  | { readonly kind: 'fault'; readonly fault: FaultKind }
