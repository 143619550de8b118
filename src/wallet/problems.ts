import { SpliceError } from '../errors/splice.ts'
import type { Refusal } from '../ledger/command.ts'
import type { Template } from '../ledger/daml/template.ts'
import type { ContractId, DamlRecord } from '../ledger/value.ts'

/** True if a contract that a payment uses, such as a coin, was archived meanwhile. */
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
