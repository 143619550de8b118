import type { DutyDeps } from './dso.ts'
import { expiredEntries, expiredSubscriptions, terminations } from './expiry.ts'
import { initialPayments } from './initial-payments.ts'
import type { Duty } from './loop.ts'
import { miningRounds } from './mining-rounds.ts'
import { renewalPayments } from './renewal-payments.ts'
import { stuckPayments } from './stuck-payments.ts'
import { walletRenewals } from './wallet-renewals.ts'

/**
 * The automatic duties of a name service, in their order: payments come before the rounds that end them, renewals before
 * expiries. `loop.ts` runs them. A renewal goes from `wallet-renewals.ts` (the wallet pays) to `renewal-payments.ts` (the
 * DSO collects); without one, `expiry.ts` archives the entry and its subscription.
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
