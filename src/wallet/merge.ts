import type { Command } from '../ledger/command.ts'
import { AmuletRules_Transfer } from '../ledger/daml/splice/amulet-rules.ts'
import { exercise } from '../ledger/typed.ts'
import type { ContractId, Party } from '../ledger/value.ts'
import { digest } from '../lib/digest.ts'
import type { OpenRound, RulesInForce } from '../names/rules.ts'
import { type Coin, largestFirst, mostInputs, paymentWith } from './coins.ts'

export interface Merge {
  /** Follows from the coins: the same are merged once. */
  readonly commandId: string
  readonly command: Command
}

/**
 * Makes one coin of the largest that one transfer may use, so that a payment can be made with more of them; they are
 * worth as much as before. Splice's wallets do so all the time (CollectRewardsAndMergeAmuletsTrigger.scala).
 */
export function mergeLargest(
  coins: readonly Coin[],
  amuletRules: NonNullable<RulesInForce['amuletRules']>,
  round: OpenRound,
  owner: Party,
): Merge {
  const merged: readonly ContractId[] = largestFirst(coins)
    .slice(0, mostInputs(round))
    .map(({ contractId }) => contractId)
  const { inputs, context } = paymentWith(merged, amuletRules.contractId, round, owner)
  const command = exercise(AmuletRules_Transfer, amuletRules.contractId, {
    transfer: { sender: owner, provider: owner, inputs, outputs: [] },
    context: context.context,
    expectedDso: amuletRules.argument.dso,
  })
  return { commandId: `merge:${digest(merged.join(' '))}`, command }
}
