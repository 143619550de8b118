import { SpliceError } from '../../base/errors/splice.ts'
import { digest } from '../../base/lib/digest.ts'
import {
  compare,
  type Decimal,
  decimal,
  divideRoundingUp,
  multiply,
  subtract,
  sum,
  zero,
} from '../../registry/ledger/daml/decimal.ts'
import { type Refusal, Refused } from '../../registry/ledger/daml/refused.ts'
import type { Amulet, LockedAmulet } from '../../registry/ledger/daml/splice/amulet.ts'
import { AmuletRules_Transfer } from '../../registry/ledger/daml/splice/amulet-rules.ts'
import type { Payment } from '../../registry/ledger/daml/splice/subscriptions.ts'
import { type ContractFrom, exercise } from '../../registry/ledger/ledger.ts'
import type { ContractId, Party } from '../../registry/ledger/value.ts'
import type { OpenRound, RulesInForce } from '../../registry/names/rules.ts'

export type Coin = ContractFrom<typeof Amulet>
export type LockedCoin = ContractFrom<typeof LockedAmulet>

/** The schema `GetBalanceResponse` of Splice's wallet-internal.yaml, with ten decimal places. */
export interface Balance {
  readonly round: number
  readonly effective_unlocked_qty: Decimal
  readonly effective_locked_qty: Decimal
  /**
   * The accrued holding fees, which are not deducted. Splice only archives a coin whose fees have
   * reached its amount.
   */
  readonly total_holding_fees: Decimal
}

export function balanceOf(
  { argument: { round } }: OpenRound,
  coins: readonly Coin[],
  locked: readonly LockedCoin[],
): Balance {
  const now = Number(round.number)
  return {
    round: now,
    effective_unlocked_qty: sum(coins.map(worth)),
    effective_locked_qty: sum(locked.map(({ argument }) => argument.amulet.amount.initialAmount)),
    total_holding_fees: sum(coins.map((coin) => holdingFee(coin, now))),
  }
}

/**
 * Converts USD to coin, rounded up.
 * @throws SpliceError `amuletOperationFailed` if the result is out of range.
 */
export function inCoin(usd: Decimal, round: OpenRound): Decimal {
  try {
    return divideRoundingUp(usd, round.argument.amuletPrice)
  } catch (error) {
    if (error instanceof Refused) throw operationFailed(error.refusal)
    throw error
  }
}

export function operationFailed({ message }: Refusal): SpliceError {
  return new SpliceError('amuletOperationFailed', { why: message })
}

export function coinsFor(amount: Decimal, coins: readonly Coin[], round: OpenRound) {
  const inputs: ContractId[] = []
  let missing = amount
  for (const coin of largestFirst(coins).slice(0, mostInputs(round))) {
    if (compare(missing, zero) <= 0) break
    inputs.push(coin.contractId)
    missing = subtract(missing, worth(coin))
  }
  return { inputs, isEnough: compare(missing, zero) <= 0 }
}

export function mostInputs({ argument: { transferConfigUsd } }: OpenRound): number {
  return Number(transferConfigUsd.maxNumInputs)
}

export function areWorth(coins: readonly Coin[], amount: Decimal): boolean {
  return compare(sum(coins.map(worth)), amount) >= 0
}

export function paymentWith(
  inputs: readonly ContractId[],
  amuletRules: ContractId,
  round: OpenRound,
  sender: Party,
): Payment {
  return {
    inputs: inputs.map((value) => ({ tag: 'InputAmulet', value })),
    context: {
      amuletRules,
      context: {
        openMiningRound: round.contractId,
        issuingMiningRounds: [],
        validatorRights: [],
        featuredAppRight: null,
      },
    },
    walletProvider: sender,
  }
}

function largestFirst(coins: readonly Coin[]): readonly Coin[] {
  return coins.toSorted((a, b) => compare(worth(b), worth(a)))
}

function worth({ argument }: Coin): Decimal {
  return argument.amount.initialAmount
}

function holdingFee({ argument: { amount } }: Coin, round: number): Decimal {
  const rounds = Math.max(0, round - Number(amount.createdAt.number))
  const fee = multiply(decimal(String(rounds)), amount.ratePerRound.rate)
  return compare(fee, amount.initialAmount) < 0 ? fee : amount.initialAmount
}

/**
 * Merges as many coins as one transfer may use, so that a later payment can use more of the owner's
 * coin. Splice's wallets merge coins at all times (CollectRewardsAndMergeAmuletsTrigger.scala).
 */
export function mergeLargest(
  coins: readonly Coin[],
  amuletRules: NonNullable<RulesInForce['amuletRules']>,
  round: OpenRound,
  owner: Party,
) {
  const merged: readonly ContractId[] = largestFirst(coins)
    .slice(0, mostInputs(round))
    .map(({ contractId }) => contractId)
  const { inputs, context } = paymentWith(merged, amuletRules.contractId, round, owner)
  const command = exercise(AmuletRules_Transfer, amuletRules.contractId, {
    transfer: { sender: owner, provider: owner, inputs, outputs: [] },
    context: context.context,
    expectedDso: amuletRules.argument.dso,
  })
  // The id follows from those of the coins, so that the ledger merges them only once.
  return { commandId: `merge:${digest(merged.join(' '))}`, command }
}
