import type { Submission } from '../ledger/command.ts'
import { Amulet } from '../ledger/daml/splice/amulet.ts'
import { amountDue } from '../ledger/daml/splice/subscription-money.ts'
import {
  SubscriptionIdleState,
  SubscriptionIdleState_MakePayment,
} from '../ledger/daml/splice/subscription-renewal.ts'
import { later, microsOf } from '../ledger/daml/time.ts'
import { type ContractFrom, disclosed, dueContracts, exercise, listContracts } from '../ledger/typed.ts'
import type { Micros } from '../ledger/value.ts'
import { type RulesInForce, usableRound } from '../names/cached-rules.ts'
import { isRenewing } from '../wallet/auto-renewal-setting.ts'
import { type Coin, coinsFor, mergeLargest, mostInputs, paymentWith } from '../wallet/coins.ts'
import { type Duty, type DutyDeps, type DutyLedger, pageSize } from './duty.ts'

const walletUserId = 'wallet-automation'

export interface Payable {
  readonly state: ContractFrom<typeof SubscriptionIdleState>
  readonly isRenewing: boolean
  readonly coins: readonly Coin[]
}

export interface Payables {
  readonly rules: RulesInForce
  readonly payable: readonly Payable[]
}

/**
 * Pays renewals from users' wallets.
 * - A renewal is paid only within `paymentDuration` before its due date. After the due date, the
 *   DSO ends the subscription (`expiry.ts`).
 * - Each payer gets at most one submission for each call, because two payments could use the same
 *   coin.
 * - If a renewal needs more coins than one payment may use, the submission merges coins instead.
 */
export function decideWalletRenewals({ rules, payable }: Payables, now: Micros): readonly Submission[] {
  const { amuletRules, rounds } = rules
  const round = usableRound(rounds, now)
  if (amuletRules === undefined || round === undefined) return []
  const paying = new Set<string>()
  return payable.flatMap(({ state: { contractId, argument }, isRenewing, coins }) => {
    const { sender } = argument.subscriptionData
    const due = amountDue(argument.payData, round.argument)
    if (!isRenewing || due === undefined || paying.has(sender) || !isOpen(argument, now)) return []
    const { inputs, isEnough } = coinsFor(due, coins, round)
    if (!isEnough && coins.length <= mostInputs(round)) return []
    paying.add(sender)
    const payment = paymentWith(inputs, amuletRules.contractId, round, sender)
    const { commandId, command } = isEnough
      ? {
          commandId: `renew:${contractId}`,
          command: exercise(SubscriptionIdleState_MakePayment, contractId, payment),
        }
      : mergeLargest(coins, amuletRules, round, sender)
    return [
      {
        commandId,
        userId: walletUserId,
        actAs: [sender],
        readAs: [],
        workflowId: '',
        commands: [command],
        disclosed: disclosed([amuletRules, round]),
      },
    ]
  })
}

export function walletRenewals({ ledger, rules }: DutyDeps): Duty {
  return {
    name: 'wallet renewals',
    wokenBy: [],
    async *batches(now) {
      const { ansRules } = await rules.get()
      if (ansRules === undefined) return
      const opened = later(now, ansRules.argument.config.renewalDuration)
      for await (const states of dueContracts(ledger, SubscriptionIdleState, opened, pageSize)) {
        const payable = await Promise.all(states.map((state) => gather(ledger, state)))
        yield decideWalletRenewals({ rules: await rules.get(), payable }, now)
      }
    },
  }
}

function isOpen({ nextPaymentDueAt, payData }: Payable['state']['argument'], now: Micros): boolean {
  const dueAt = microsOf(nextPaymentDueAt)
  return now < dueAt && dueAt < later(now, payData.paymentDuration)
}

async function gather(ledger: DutyLedger, state: Payable['state']): Promise<Payable> {
  const { sender } = state.argument.subscriptionData
  const [renewing, coins] = await Promise.all([
    isRenewing(ledger, sender),
    listContracts(ledger, Amulet, { where: { owner: sender } }, pageSize * 10),
  ])
  return { state, isRenewing: renewing, coins }
}
