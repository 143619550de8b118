import type { Party } from '../ledger/value.ts'
import type { Call } from './calls.ts'

/** What is asked of a name service that lives in its ledger's thread. */
export type Question =
  | ({ readonly kind: 'begin' } & NameServiceOf)
  | ({ readonly kind: 'call' } & Call)
  /** Automation is to look at everything. */
  | { readonly kind: 'look' }
  /** It is to look until there is nothing left to do at this time. */
  | { readonly kind: 'settle' }
  /** To do no more, and say when what is under way is done. */
  | { readonly kind: 'end' }

export interface NameServiceOf {
  readonly dso: Party
  /** Of the name service, in lower case. */
  readonly acronym: string
}
