import {
  AnsEntryContext_CollectEntryRenewalPayment,
  AnsEntryContext_CollectInitialEntryPayment,
  AnsEntryContext_RejectEntryInitialPayment,
} from '../../registry/ledger/daml/splice/ans.ts'
import {
  SubscriptionInitialPayment,
  SubscriptionPayment,
} from '../../registry/ledger/daml/splice/subscriptions.ts'
import { type ContractFrom, exercise, listContracts, type Submission } from '../../registry/ledger/ledger.ts'
import { entryProblems } from '../../registry/names/name.ts'
import type { RulesInForce } from '../../registry/names/rules.ts'
import { byDso, contextOf, type Duty, type DutyDeps, pageSize, transferContext } from './duty.ts'

interface PaidRequest {
  readonly payment: ContractFrom<typeof SubscriptionInitialPayment>
  readonly context: NonNullable<Awaited<ReturnType<typeof contextOf>>>
  readonly isTaken: boolean
}

/**
 * Collects the payments for names. If several payments are for the same free name, the first one is
 * collected. The others wait, and are rejected once the name is taken: the payers get the coin back.
 */
export function initialPayments({ ledger, rules, acronym, logger }: DutyDeps): Duty {
  const gather = async (payment: PaidRequest['payment'], now: number): Promise<readonly PaidRequest[]> => {
    const context = await contextOf(ledger, payment.argument.reference)
    if (context === undefined) return []
    const { name } = context.argument
    const holders = await ledger.entries({ name, notExpiredAt: now, limit: 1 })
    return [{ payment, context, isTaken: holders.length > 0 }]
  }
  return {
    name: 'initial payments',
    wokenBy: [SubscriptionInitialPayment.name],
    async *batches(now) {
      // The payments are read before the rounds. Otherwise a round could be created between the two
      // reads, and a payment in that round would be rejected as too late.
      const payments = await listContracts(ledger, SubscriptionInitialPayment, {}, pageSize)
      const paid = (await Promise.all(payments.map((payment) => gather(payment, now)))).flat()
      const inForce = await rules.get()
      const claimed = new Set<string>()
      const submissions: Submission[] = []
      for (const { payment, context, isTaken } of paid) {
        const { contractId, argument } = payment
        const { name } = context.argument
        const reason = reasonToReject({ payment, context, isTaken }, inForce, acronym)
        if (reason === undefined && claimed.has(name)) continue
        const [decision, choice, round] =
          reason === undefined
            ? (['collect', AnsEntryContext_CollectInitialEntryPayment, argument.round.number] as const)
            : (['reject', AnsEntryContext_RejectEntryInitialPayment, undefined] as const)
        const transfer = transferContext(inForce, now, round)
        const { ansRules } = inForce
        if (ansRules === undefined || transfer === undefined) continue
        if (reason === undefined) claimed.add(name)
        else logger.info({ reason }, 'a payment for a name is given back')
        const given = { paymentCid: contractId, transferContext: transfer, ansRulesCid: ansRules.contractId }
        const command = exercise(choice, context.contractId, given)
        submissions.push(byDso(rules.dso, `${decision}-initial-payment:${contractId}`, [command]))
      }
      yield submissions
    },
  }
}

/** In the order in which super validators check (AnsSubscriptionInitialPaymentTrigger.scala). */
function reasonToReject(
  { payment, context, isTaken }: PaidRequest,
  { rounds }: RulesInForce,
  acronym: string,
): string | undefined {
  const { number } = payment.argument.round
  if (!rounds.some(({ argument }) => argument.round.number === number))
    return 'the round of the payment is over'
  if (entryProblems(context.argument, acronym).length > 0) return 'the name, url or description is invalid'
  return isTaken ? 'the name is taken' : undefined
}

/**
 * Collects the payments for renewals. If the round of a payment is over, or the entry has expired,
 * the payment is neither collected nor rejected, and its coin stays locked, as on Splice's networks
 * (AnsSubscriptionRenewalPaymentTrigger.scala).
 */
export function renewalPayments({ ledger, rules }: DutyDeps): Duty {
  return {
    name: 'renewal payments',
    wokenBy: [SubscriptionPayment.name],
    async *batches(now) {
      const payments = await listContracts(ledger, SubscriptionPayment, {}, pageSize)
      const inForce = await rules.get()
      const submissions = payments.map(async ({ contractId, argument }) => {
        const context = await contextOf(ledger, argument.reference)
        if (context === undefined) return []
        const { name, user } = context.argument
        const [entry] = await ledger.entries({ name, user, notExpiredAt: now, limit: 1 })
        const transfer = transferContext(inForce, now, argument.round.number)
        if (!entry || !transfer || !inForce.ansRules) return []
        const command = exercise(AnsEntryContext_CollectEntryRenewalPayment, context.contractId, {
          paymentCid: contractId,
          entryCid: entry.contractId,
          transferContext: transfer,
          ansRulesCid: inForce.ansRules.contractId,
        })
        return [byDso(rules.dso, `collect-renewal-payment:${contractId}`, [command])]
      })
      yield (await Promise.all(submissions)).flat()
    },
  }
}
