import type { Submission } from '../ledger/command.ts'
import { LockedAmulet } from '../ledger/daml/splice/amulet.ts'
import {
  SubscriptionInitialPayment,
  SubscriptionInitialPayment_Expire,
} from '../ledger/daml/splice/subscription-initial-payment.ts'
import {
  SubscriptionPayment,
  SubscriptionPayment_Expire,
} from '../ledger/daml/splice/subscription-renewal.ts'
import { microsOf } from '../ledger/daml/time.ts'
import { type ContractFrom, exercise, findContract, listContracts } from '../ledger/typed.ts'
import type { ContractId, Micros } from '../ledger/value.ts'
import type { RulesInForce } from '../names/cached-rules.ts'
import { byDso, transferContext } from './dso-submissions.ts'
import { type Duty, type DutyDeps, type DutyLedger, pageSize } from './duty.ts'

export interface LockedPayment {
  readonly kind: 'initial' | 'renewal'
  readonly contractId: ContractId
  readonly coin: ContractFrom<typeof LockedAmulet> | undefined
}

export interface LockedPayments {
  readonly rules: RulesInForce
  readonly locked: readonly LockedPayment[]
}

/**
 * Gives locked coin back to the payer once the lock has expired. A renewal can then be paid again.
 */
export function decideStuckPayments({ rules, locked }: LockedPayments, now: Micros): readonly Submission[] {
  const transfer = transferContext(rules, now)
  if (transfer === undefined) return []
  return locked.flatMap(({ kind, contractId, coin }) => {
    if (coin === undefined || microsOf(coin.argument.lock.expiresAt) > now) return []
    const argument = { actor: rules.dso, transferContext: transfer }
    const command =
      kind === 'initial'
        ? exercise(SubscriptionInitialPayment_Expire, contractId, argument)
        : exercise(SubscriptionPayment_Expire, contractId, argument)
    return [byDso(rules.dso, `expire-payment:${contractId}`, [command])]
  })
}

/** Splice's networks have no such automation. */
export function stuckPayments({ ledger, rules }: DutyDeps): Duty {
  return {
    name: 'stuck payments',
    wokenBy: [],
    async *batches(now) {
      const of = { party: rules.dso }
      const [initial, renewals] = await Promise.all([
        listContracts(ledger, SubscriptionInitialPayment, of, pageSize),
        listContracts(ledger, SubscriptionPayment, of, pageSize),
      ])
      const locked = await Promise.all([
        ...initial.map((payment) => gather(ledger, 'initial', payment)),
        ...renewals.map((payment) => gather(ledger, 'renewal', payment)),
      ])
      yield decideStuckPayments({ rules: await rules.get(), locked }, now)
    },
  }
}

async function gather(
  ledger: DutyLedger,
  kind: LockedPayment['kind'],
  {
    contractId,
    argument,
  }: { readonly contractId: ContractId; readonly argument: { readonly lockedAmulet: ContractId } },
): Promise<LockedPayment> {
  return { kind, contractId, coin: await findContract(ledger, LockedAmulet, argument.lockedAmulet) }
}
