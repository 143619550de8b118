import type { Submission } from '../ledger/command.ts'
import { AnsEntryContext_CollectEntryRenewalPayment } from '../ledger/daml/splice/ans.ts'
import { SubscriptionPayment } from '../ledger/daml/splice/subscription-renewal.ts'
import type { ActiveEntry } from '../ledger/ledger.ts'
import { type ContractFrom, exercise, listContracts } from '../ledger/typed.ts'
import type { Micros } from '../ledger/value.ts'
import type { RulesInForce } from '../names/cached-rules.ts'
import { byDso, contextOf, type EntryContext, transferContext } from './dso-submissions.ts'
import { type Duty, type DutyDeps, type DutyLedger, pageSize } from './duty.ts'

export interface PaidRenewal {
  readonly payment: ContractFrom<typeof SubscriptionPayment>
  readonly context: EntryContext | undefined
  readonly entry: ActiveEntry | undefined
}

export interface PaidRenewals {
  readonly rules: RulesInForce
  readonly paid: readonly PaidRenewal[]
}

/**
 * If the round of a payment is over, or the entry has expired, the payment is neither collected nor
 * rejected. Its coin then stays locked until the lock expires
 * (AnsSubscriptionRenewalPaymentTrigger.scala).
 */
export function decideRenewalPayments({ rules, paid }: PaidRenewals, now: Micros): readonly Submission[] {
  return paid.flatMap(({ payment: { contractId, argument }, context, entry }) => {
    const transfer = transferContext(rules, now, argument.round.number)
    if (!context || !entry || !transfer || !rules.ansRules) return []
    const command = exercise(AnsEntryContext_CollectEntryRenewalPayment, context.contractId, {
      paymentCid: contractId,
      entryCid: entry.contractId,
      transferContext: transfer,
      ansRulesCid: rules.ansRules.contractId,
    })
    return [byDso(rules.dso, `collect-renewal-payment:${contractId}`, [command])]
  })
}

export function renewalPayments({ ledger, rules }: DutyDeps): Duty {
  return {
    name: 'renewal payments',
    wokenBy: [SubscriptionPayment.name],
    async *batches(now) {
      const payments = await listContracts(ledger, SubscriptionPayment, { party: rules.dso }, pageSize)
      const paid = await Promise.all(payments.map((payment) => gather(ledger, payment, now)))
      yield decideRenewalPayments({ rules: await rules.get(), paid }, now)
    },
  }
}

async function gather(
  ledger: DutyLedger,
  payment: PaidRenewal['payment'],
  now: Micros,
): Promise<PaidRenewal> {
  const context = await contextOf(ledger, payment.argument.reference)
  if (context === undefined) return { payment, context, entry: undefined }
  const { name, user } = context.argument
  const [entry] = await ledger.entries({ name, user, notExpiredAt: now, limit: 1 })
  return { payment, context, entry }
}
