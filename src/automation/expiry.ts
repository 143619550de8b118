import type { Submission } from '../ledger/command.ts'
import { AnsEntry, AnsEntry_Expire } from '../ledger/daml/splice/ans-entry.ts'
import {
  SubscriptionIdleState,
  SubscriptionIdleState_ExpireSubscription,
} from '../ledger/daml/splice/subscription-idle-state.ts'
import { microsOf } from '../ledger/daml/time.ts'
import { type ContractFrom, dueContracts, exercise } from '../ledger/typed.ts'
import type { Micros, Party } from '../ledger/value.ts'
import { byDso, contextOf, type DutyDeps, pageSize } from './dso.ts'
import type { Duty } from './loop.ts'

export interface Entries {
  readonly dso: Party
  readonly entries: readonly ContractFrom<typeof AnsEntry>[]
}

/** Archives entries past their time. At the very moment that it ends an entry still is one. */
export function decideExpiredEntries({ dso, entries }: Entries, now: Micros): readonly Submission[] {
  return entries
    .filter(({ argument }) => microsOf(argument.expiresAt) < now)
    .map(({ contractId }) =>
      byDso(dso, `expire-entry:${contractId}`, [exercise(AnsEntry_Expire, contractId, { actor: dso })]),
    )
}

/** A subscription between two payments, and whether it is to a name. */
export interface IdleSubscription {
  readonly state: ContractFrom<typeof SubscriptionIdleState>
  readonly isToName: boolean
}

export interface IdleSubscriptions {
  readonly dso: Party
  readonly idle: readonly IdleSubscription[]
}

/** Ends subscriptions to names whose payment was missed. */
export function decideExpiredSubscriptions(
  { dso, idle }: IdleSubscriptions,
  now: Micros,
): readonly Submission[] {
  return idle
    .filter(({ state, isToName }) => isToName && microsOf(state.argument.nextPaymentDueAt) < now)
    .map(({ state: { contractId } }) =>
      byDso(dso, `expire-subscription:${contractId}`, [
        exercise(SubscriptionIdleState_ExpireSubscription, contractId, { actor: dso }),
      ]),
    )
}

/** The duty to archive entries past their time. */
export function expiredEntries({ ledger, rules: { dso } }: DutyDeps): Duty {
  return {
    name: 'expired entries',
    wokenBy: [],
    async *batches(now) {
      for await (const entries of dueContracts(ledger, AnsEntry, now, pageSize)) {
        yield decideExpiredEntries({ dso, entries }, now)
      }
    },
  }
}

/** The duty to end subscriptions that were not paid. */
export function expiredSubscriptions({ ledger, rules: { dso } }: DutyDeps): Duty {
  return {
    name: 'expired subscriptions',
    wokenBy: [],
    async *batches(now) {
      for await (const states of dueContracts(ledger, SubscriptionIdleState, now, pageSize)) {
        const idle = states.map(async (state) => ({
          state,
          isToName: (await contextOf(ledger, state.argument.reference)) !== undefined,
        }))
        yield decideExpiredSubscriptions({ dso, idle: await Promise.all(idle) }, now)
      }
    },
  }
}
