import type { AmuletRules } from '../reads/dso.ts'
import type { Inquiry } from './inquiry.ts'
import type { RosterVoter } from './roster.ts'

export interface ReplyObserver {
  /** Called after the last reply of a read, while its ballots can still be used. */
  readClosed(inquiry: Inquiry): void
  /**
   * Called when the daemon asks a member for the roster and the reply contains the network's rules.
   */
  rulesHeard(voter: RosterVoter, rules: AmuletRules): void
}
