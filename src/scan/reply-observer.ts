import type { AmuletRules } from '../reads/dso.ts'
import type { Inquiry } from './inquiry.ts'
import type { RosterVoter } from './roster.ts'

/** Hears what super validators said, beside those that count it. It asks nothing and decides nothing. */
export interface ReplyObserver {
  /** Called after the last reply of a read, while its ballots can still be used. */
  closed(inquiry: Inquiry): void
  /** Called with the rules that a member of the roster gave when it was asked for the roster. */
  rulesHeard(voter: RosterVoter, rules: AmuletRules): void
}
