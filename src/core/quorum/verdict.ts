import type { Group } from './electorate.ts'
import type { AgreedItem } from './items.ts'

export type AgreedVerdict =
  | {
      readonly kind: 'agreed'
      readonly on: 'value' | 'refusal'
      readonly vote: string
      readonly members: Group
      readonly rule: string
      /** True if one vote was enough, because the value has the requested hash. */
      readonly proven?: true
    }
  | {
      readonly kind: 'agreed'
      readonly on: 'items'
      readonly items: readonly AgreedItem[]
      readonly members: Group
      readonly rule: string
    }
  | {
      readonly kind: 'agreed'
      readonly on: 'history'
      /** The vote of one reply whose history begins with the agreed elements. */
      readonly vote: string
      /** The number of agreed elements at the beginning of that history; at least one. */
      readonly length: number
      readonly members: Group
      readonly rule: string
    }

/**
 * The decision of a read. `rule` is the name of the rule in `rules.ts` that decided: an English
 * sentence.
 */
export type Verdict =
  | AgreedVerdict
  | { readonly kind: 'disputed' | 'undecided' | 'unreachable'; readonly rule: string }
