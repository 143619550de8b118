import type { Duty, DutyDeps } from './duty.ts'
import { expiredEntries, expiredSubscriptions, terminations } from './expiry.ts'
import { miningRounds } from './mining-rounds.ts'
import { initialPayments, renewalPayments, stuckPayments } from './payments.ts'
import { walletRenewals } from './wallet-renewals.ts'

/**
 * The duties are in the order in which `Automation.runDuties` runs them.
 * - Payments are collected before mining rounds are closed, because a payment can be collected only
 *   in its own round.
 * - Renewals come before expiries. For a renewal, `wallet-renewals.ts` lets the wallet pay, and
 *   `renewal-payments.ts` lets the DSO collect. Without a renewal, `expiry.ts` archives the entry
 *   and ends the subscription.
 */
export function nameServiceDuties(deps: DutyDeps): readonly Duty[] {
  return [
    initialPayments(deps),
    renewalPayments(deps),
    miningRounds(deps),
    walletRenewals(deps),
    stuckPayments(deps),
    expiredEntries(deps),
    expiredSubscriptions(deps),
    terminations(deps),
  ]
}
