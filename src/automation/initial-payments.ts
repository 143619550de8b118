import type { Submission } from '../ledger/command.ts'
import {
  AnsEntryContext_CollectInitialEntryPayment,
  AnsEntryContext_RejectEntryInitialPayment,
} from '../ledger/daml/splice/ans.ts'
import { SubscriptionInitialPayment } from '../ledger/daml/splice/subscription-initial-payment.ts'
import type { ActiveEntry } from '../ledger/ledger.ts'
import { type ContractFrom, exercise, listContracts } from '../ledger/typed.ts'
import type { Micros } from '../ledger/value.ts'
import type { RulesInForce } from '../names/cached-rules.ts'
import { entryProblems } from '../names/name.ts'
import { byDso, contextOf, type EntryContext, transferContext } from './dso-submissions.ts'
import { type Duty, type DutyDeps, type DutyLedger, pageSize } from './duty.ts'

export interface PaidRequest {
  readonly payment: ContractFrom<typeof SubscriptionInitialPayment>
  readonly context: EntryContext | undefined
  readonly holder: ActiveEntry | undefined
}

export interface PaidRequests {
  readonly rules: RulesInForce
  readonly acronym: string
  readonly paid: readonly PaidRequest[]
}

export type PaymentVerdict =
  | { readonly kind: 'collect' | 'wait' }
  /** The payer gets the coin back. */
  | { readonly kind: 'reject'; readonly reason: string }

type Grounds = (request: PaidRequest & { readonly context: EntryContext }, state: PaidRequests) => boolean

/**
 * The reasons for rejecting a payment, in the order in which super validators check them
 * (AnsSubscriptionInitialPaymentTrigger.scala).
 */
const grounds: readonly { readonly reason: string; readonly when: Grounds }[] = [
  {
    reason: 'the round of the payment is over',
    when: ({ payment }, { rules }) =>
      !rules.rounds.some(({ argument }) => argument.round.number === payment.argument.round.number),
  },
  {
    reason: 'the name, url or description is invalid',
    when: ({ context }, { acronym }) => entryProblems(context.argument, acronym).length > 0,
  },
  { reason: 'the name is taken', when: ({ holder }) => holder !== undefined },
]

/**
 * If several payments are for the same free name, the first one is collected. The others wait, and
 * are rejected once the name is taken.
 */
export function judge(state: PaidRequests): readonly PaymentVerdict[] {
  const claimed = new Set<string>()
  return state.paid.map((request) => {
    const { context } = request
    if (context === undefined) return { kind: 'wait' }
    const ground = grounds.find(({ when }) => when({ ...request, context }, state))
    if (ground !== undefined) return { kind: 'reject', reason: ground.reason }
    if (claimed.has(context.argument.name)) return { kind: 'wait' }
    claimed.add(context.argument.name)
    return { kind: 'collect' }
  })
}

export function decideInitialPayments(state: PaidRequests, now: Micros): readonly Submission[] {
  const verdicts = judge(state)
  return state.paid.flatMap((request, at) => {
    const verdict = verdicts[at]
    return verdict === undefined ? [] : carryOut(verdict.kind, request, state.rules, now)
  })
}

function carryOut(
  verdict: PaymentVerdict['kind'],
  { payment, context }: PaidRequest,
  rules: RulesInForce,
  now: Micros,
): readonly Submission[] {
  const { contractId, argument } = payment
  const isCollected = verdict === 'collect'
  const transfer = transferContext(rules, now, isCollected ? argument.round.number : undefined)
  if (verdict === 'wait' || context === undefined || rules.ansRules === undefined || transfer === undefined)
    return []
  const given = {
    paymentCid: contractId,
    transferContext: transfer,
    ansRulesCid: rules.ansRules.contractId,
  }
  const command = isCollected
    ? exercise(AnsEntryContext_CollectInitialEntryPayment, context.contractId, given)
    : exercise(AnsEntryContext_RejectEntryInitialPayment, context.contractId, given)
  return [byDso(rules.dso, `${verdict}-initial-payment:${contractId}`, [command])]
}

export function initialPayments({ ledger, rules, acronym, logger }: DutyDeps): Duty {
  return {
    name: 'initial payments',
    wokenBy: [SubscriptionInitialPayment.name],
    async *batches(now) {
      // The payments are read before the rounds. Otherwise a round could be created between the two
      // reads, and a payment in that round would be rejected as too late.
      const payments = await listContracts(ledger, SubscriptionInitialPayment, { party: rules.dso }, pageSize)
      const paid = await Promise.all(payments.map((payment) => gather(ledger, payment, now)))
      const state = { rules: await rules.get(), acronym, paid }
      for (const verdict of judge(state)) {
        if (verdict.kind === 'reject')
          logger.info({ reason: verdict.reason }, 'a payment for a name is given back')
      }
      yield decideInitialPayments(state, now)
    },
  }
}

async function gather(
  ledger: DutyLedger,
  payment: PaidRequest['payment'],
  now: Micros,
): Promise<PaidRequest> {
  const context = await contextOf(ledger, payment.argument.reference)
  if (context === undefined) return { payment, context, holder: undefined }
  const [holder] = await ledger.entries({ name: context.argument.name, notExpiredAt: now, limit: 1 })
  return { payment, context, holder }
}
