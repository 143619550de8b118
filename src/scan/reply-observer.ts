import type { AmuletRules } from '../reads/dso.ts'
import type { Inquiry } from './inquiry.ts'
import type { RosterVoter } from './roster.ts'

export interface ReplyObserver {
  /** Called after the last reply of a read, while its ballots can still be used. */
  readClosed(inquiry: Inquiry): void
  /**
   * Called when a member of the roster sends the network's rules with its reply about the roster.
   */
  rulesHeard(voter: RosterVoter, rules: AmuletRules): void
}
