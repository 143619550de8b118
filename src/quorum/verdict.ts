import type { Group } from './electorate.ts'
import type { AgreedItem } from './items.ts'

/** The decision of the quorum, which `rules.ts` makes. `rule` is the sentence of the rule that decided. */
export type Verdict =
  | {
      readonly kind: 'agreed'
      readonly on: 'value' | 'refusal'
      readonly vote: string
      readonly members: Group
      readonly rule: string
      /** One vote was enough, because the value has the requested hash. */
      readonly proven?: true
    }
  | {
      readonly kind: 'agreed'
      readonly on: 'items'
      readonly items: readonly AgreedItem[]
      /** Voters that listed at least one of the items. */
      readonly members: Group
      readonly rule: string
    }
  | {
      readonly kind: 'agreed'
      readonly on: 'history'
      /** The vote of one reply whose history begins with the agreed elements. */
      readonly vote: string
      /** How many of its first elements are agreed, and served; at least one. */
      readonly length: number
      readonly members: Group
      readonly rule: string
    }
  | { readonly kind: 'disputed' | 'undecided' | 'unreachable'; readonly rule: string }
