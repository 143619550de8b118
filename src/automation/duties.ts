import type { DutyDeps } from './dso.ts'
import { expiredEntries, expiredSubscriptions, terminations } from './expiry.ts'
import { initialPayments } from './initial-payments.ts'
import type { Duty } from './loop.ts'
import { miningRounds } from './mining-rounds.ts'
import { renewalPayments } from './renewal-payments.ts'
import { stuckPayments } from './stuck-payments.ts'
import { walletRenewals } from './wallet-renewals.ts'

/**
 * Everything that a name service does by itself, in the order in which it is seen to: payments come before the rounds
 * that end them, renewals before what expires.
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
