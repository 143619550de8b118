import type { Submission } from '../ledger/command.ts'
import { AnsEntry, AnsEntry_Expire, AnsEntryContext_Terminate } from '../ledger/daml/splice/ans.ts'
import { TerminatedSubscription } from '../ledger/daml/splice/subscription.ts'
import {
  SubscriptionIdleState,
  SubscriptionIdleState_ExpireSubscription,
} from '../ledger/daml/splice/subscription-renewal.ts'
import { microsOf } from '../ledger/daml/time.ts'
import { type ContractFrom, dueContracts, exercise, listContracts } from '../ledger/typed.ts'
import type { Micros, Party } from '../ledger/value.ts'
import { byDso, contextOf, type EntryContext } from './dso-submissions.ts'
import { type Duty, type DutyDeps, pageSize } from './duty.ts'

export interface Entries {
  readonly dso: Party
  readonly entries: readonly ContractFrom<typeof AnsEntry>[]
}

/** At the exact moment of its expiry, an entry is still valid. */
export function decideExpiredEntries({ dso, entries }: Entries, now: Micros): readonly Submission[] {
  return entries
    .filter(({ argument }) => microsOf(argument.expiresAt) < now)
    .map(({ contractId }) =>
      byDso(dso, `expire-entry:${contractId}`, [exercise(AnsEntry_Expire, contractId, { actor: dso })]),
    )
}

export interface IdleSubscription {
  readonly state: ContractFrom<typeof SubscriptionIdleState>
  readonly isToName: boolean
}

export interface IdleSubscriptions {
  readonly dso: Party
  readonly idle: readonly IdleSubscription[]
}

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

export interface Terminations {
  readonly dso: Party
  readonly ended: readonly {
    readonly terminated: ContractFrom<typeof TerminatedSubscription>
    readonly context: EntryContext | undefined
  }[]
}

export function decideTerminations({ dso, ended }: Terminations): readonly Submission[] {
  return ended.flatMap(({ terminated: { contractId }, context }) => {
    if (context === undefined) return []
    const argument = { actor: dso, terminatedSubscriptionCid: contractId }
    const command = exercise(AnsEntryContext_Terminate, context.contractId, argument)
    return [byDso(dso, `terminate-context:${context.contractId}`, [command])]
  })
}

export function terminations({ ledger, rules: { dso } }: DutyDeps): Duty {
  return {
    name: 'terminated subscriptions',
    wokenBy: [TerminatedSubscription.name],
    async *batches() {
      const all = await listContracts(ledger, TerminatedSubscription, { party: dso }, pageSize)
      const ended = all.map(async (terminated) => ({
        terminated,
        context: await contextOf(ledger, terminated.argument.reference),
      }))
      yield decideTerminations({ dso, ended: await Promise.all(ended) })
    },
  }
}
