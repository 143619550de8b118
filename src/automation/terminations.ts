import type { Submission } from '../ledger/command.ts'
import { AnsEntryContext_Terminate } from '../ledger/daml/splice/ans-entry-context.ts'
import { TerminatedSubscription } from '../ledger/daml/splice/subscription.ts'
import { type ContractFrom, exercise, listContracts } from '../ledger/typed.ts'
import type { Party } from '../ledger/value.ts'
import { byDso, contextOf, type DutyDeps, type EntryContext, pageSize } from './dso.ts'
import type { Duty } from './loop.ts'

export interface Terminations {
  readonly dso: Party
  readonly ended: readonly {
    readonly terminated: ContractFrom<typeof TerminatedSubscription>
    /** Undefined for a subscription to something else than a name. */
    readonly context: EntryContext | undefined
  }[]
}

/** Archives what was kept for a subscription that ended, whoever ended it. */
export function decideTerminations({ dso, ended }: Terminations): readonly Submission[] {
  return ended.flatMap(({ terminated: { contractId }, context }) => {
    if (context === undefined) return []
    const argument = { actor: dso, terminatedSubscriptionCid: contractId }
    const command = exercise(AnsEntryContext_Terminate, context.contractId, argument)
    return [byDso(dso, `terminate-context:${context.contractId}`, [command])]
  })
}

/** The duty to tidy up after subscriptions that ended. */
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
