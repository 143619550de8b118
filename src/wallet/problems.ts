import { SpliceError } from '../errors/splice.ts'
import type { Refusal } from '../ledger/command.ts'
import { type Decimal, divideRoundingUp } from '../ledger/daml/decimal.ts'
import { Refused } from '../ledger/daml/refused.ts'
import type { Template } from '../ledger/daml/template.ts'
import type { ContractId, DamlRecord } from '../ledger/value.ts'
import type { OpenRound } from '../names/rules-in-force.ts'

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

/** Whether the ledger refused a payment because one of its contracts was archived after the wallet had read it. */
export function isContention({ code }: Refusal): boolean {
  return code === 'CONTRACT_NOT_FOUND'
}

export function operationFailed({ message }: Refusal): SpliceError {
  return new SpliceError('amuletOperationFailed', { why: message })
}

export function noContract<A extends DamlRecord>(template: Template<A>, id: ContractId): never {
  throw new SpliceError('contractNotFound', {
    template: template.name.slice(template.name.indexOf(':') + 1),
    id,
  })
}
