import { Amulet } from '../../registry/ledger/daml/splice/amulet.ts'
import {
  amountDue,
  SubscriptionIdleState,
  SubscriptionIdleState_MakePayment,
} from '../../registry/ledger/daml/splice/subscriptions.ts'
import { later, microsOf } from '../../registry/ledger/daml/time.ts'
import {
  disclosed,
  dueContracts,
  exercise,
  listContracts,
  type Submission,
} from '../../registry/ledger/ledger.ts'
import { usableRound } from '../../registry/names/rules.ts'
import { coinsFor, mergeLargest, mostInputs, paymentWith } from '../wallet/coins.ts'
import { isRenewing } from '../wallet/wallet.ts'
import { type Duty, type DutyDeps, pageSize } from './duty.ts'

const walletUserId = 'wallet-automation'

/**
 * Pays renewals from users' wallets.
 * - A renewal is paid only within `paymentDuration` before its due date. After the due date, the
 *   DSO ends the subscription (`duties.ts`).
 * - Each payer gets at most one submission in each batch, because two payments could use the same
 *   coin.
 * - If a renewal needs more coins than one payment may use, the submission merges coins instead.
 */
export function walletRenewals({ ledger, rules }: DutyDeps): Duty {
  return {
    name: 'wallet renewals',
    wokenBy: [],
    async *batches(now) {
      const { ansRules } = await rules.get()
      if (ansRules === undefined) return
      const opened = later(now, ansRules.argument.config.renewalDuration)
      for await (const states of dueContracts(ledger, SubscriptionIdleState, opened, pageSize)) {
        const { amuletRules, rounds } = await rules.get()
        const round = usableRound(rounds, now)
        if (amuletRules === undefined || round === undefined) return
        const paying = new Set<string>()
        const submissions: Submission[] = []
        for (const { contractId, argument } of states) {
          const { sender } = argument.subscriptionData
          const due = amountDue(argument.payData, round.argument)
          const dueAt = microsOf(argument.nextPaymentDueAt)
          const isOpen = now < dueAt && dueAt < later(now, argument.payData.paymentDuration)
          if (!isOpen || due === undefined || paying.has(sender) || !(await isRenewing(ledger, sender)))
            continue
          const coins = await listContracts(ledger, Amulet, { where: { owner: sender } }, pageSize * 10)
          const { inputs, isEnough } = coinsFor(due, coins, round)
          if (!isEnough && coins.length <= mostInputs(round)) continue
          paying.add(sender)
          const payment = paymentWith(inputs, amuletRules.contractId, round, sender)
          const { commandId, command } = isEnough
            ? {
                commandId: `renew:${contractId}`,
                command: exercise(SubscriptionIdleState_MakePayment, contractId, payment),
              }
            : mergeLargest(coins, amuletRules, round, sender)
          submissions.push({
            commandId,
            userId: walletUserId,
            actAs: [sender],
            commands: [command],
            disclosed: disclosed([amuletRules, round]),
          })
        }
        yield submissions
      }
    },
  }
}
