import { AnsEntry_Expire, AnsEntryContext_Terminate } from '../../registry/ledger/daml/splice/ans.ts'
import {
  SubscriptionIdleState_ExpireSubscription,
  TerminatedSubscription,
} from '../../registry/ledger/daml/splice/subscriptions.ts'
import type { Choice } from '../../registry/ledger/daml/template.ts'
import { dueContracts, exercise, listContracts } from '../../registry/ledger/ledger.ts'
import type { DamlRecord, Party } from '../../registry/ledger/value.ts'
import { byDso, contextOf, type Duty, type DutyDeps, pageSize } from './duty.ts'
import { miningRounds } from './mining-rounds.ts'
import { initialPayments, renewalPayments } from './payments.ts'
import { walletRenewals } from './wallet-renewals.ts'

/**
 * The duties are in the order in which `Automation.runDuties` runs them.
 * - Payments are collected before mining rounds are closed, because a payment can be collected only
 *   in its own round.
 * - Renewals come before expiries. For a renewal, `wallet-renewals.ts` lets the wallet pay, and
 *   `payments.ts` lets the DSO collect. Without a renewal, the entry is archived and the
 *   subscription ends.
 */
export function nameServiceDuties(deps: DutyDeps): readonly Duty[] {
  return [
    initialPayments(deps),
    renewalPayments(deps),
    miningRounds(deps),
    walletRenewals(deps),
    expiries(deps, { name: 'expired entries', id: 'expire-entry' }, AnsEntry_Expire),
    expiries(
      deps,
      { name: 'expired subscriptions', id: 'expire-subscription' },
      SubscriptionIdleState_ExpireSubscription,
    ),
    terminations(deps),
  ]
}

/** At the exact moment of its expiry, a contract is still valid. */
function expiries<A extends DamlRecord>(
  { ledger, rules: { dso } }: DutyDeps,
  what: { readonly name: string; readonly id: string },
  choice: Choice<A, { readonly actor: Party }>,
): Duty {
  return {
    name: what.name,
    wokenBy: [],
    async *batches(now) {
      for await (const due of dueContracts(ledger, choice.template, now, pageSize))
        yield due.map(({ contractId }) =>
          byDso(dso, `${what.id}:${contractId}`, [exercise(choice, contractId, { actor: dso })]),
        )
    },
  }
}

/** Archives what belongs to a subscription that has ended. */
function terminations({ ledger, rules: { dso } }: DutyDeps): Duty {
  return {
    name: 'terminated subscriptions',
    wokenBy: [TerminatedSubscription.name],
    async *batches() {
      const ended = await listContracts(ledger, TerminatedSubscription, {}, pageSize)
      const submissions = ended.map(async ({ contractId, argument }) => {
        const context = await contextOf(ledger, argument.reference)
        if (context === undefined) return []
        const terminate = { actor: dso, terminatedSubscriptionCid: contractId }
        const command = exercise(AnsEntryContext_Terminate, context.contractId, terminate)
        return [byDso(dso, `terminate-context:${context.contractId}`, [command])]
      })
      yield (await Promise.all(submissions)).flat()
    },
  }
}
