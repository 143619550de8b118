import type { Group } from './electorate.ts'
import type { AgreedItem } from './items.ts'

/** What the quorum decided. `rule` is the sentence of the rule that decided. */
export type Verdict =
  | {
      readonly kind: 'agreed'
      readonly on: 'value' | 'refusal'
      readonly vote: string
      readonly members: Group
      readonly rule: string
      /** It was enough that one of them said it, as it has the hash that was asked for. */
      readonly proven?: true
    }
  | {
      readonly kind: 'agreed'
      readonly on: 'items'
      readonly items: readonly AgreedItem[]
      /** Voters behind at least one of the items. */
      readonly members: Group
      readonly rule: string
    }
  | {
      readonly kind: 'agreed'
      readonly on: 'history'
      /** A value that begins with what is agreed. */
      readonly vote: string
      /** How many of its steps are agreed; at least one. */
      readonly length: number
      readonly members: Group
      readonly rule: string
    }
  | { readonly kind: 'disputed' | 'undecided' | 'unreachable'; readonly rule: string }
