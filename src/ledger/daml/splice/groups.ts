import { isDeepStrictEqual } from 'node:util'
import type { ContractId, DamlRecord } from '../../value.ts'
import { fail } from '../refused.ts'
import type { ChoiceActions, ContractOf, Template } from '../template.ts'

/**
 * Expected values of fields that tell to whom a contract belongs, such as `dso` and `owner`. Splice
 * calls them the contract's group.
 */
type GroupFields<A extends DamlRecord> = Partial<A>

export function fetchOf<A extends DamlRecord>(
  scope: ChoiceActions,
  template: Template<A>,
  contractId: ContractId,
  group: GroupFields<A>,
): ContractOf<A> {
  const contract = scope.fetch(template, contractId)
  requireGroup(contract.argument, group, contractId)
  return contract
}

export function requireGroup<A extends DamlRecord>(
  argument: A,
  group: GroupFields<A>,
  contractId: ContractId,
): void {
  for (const [member, expected] of Object.entries(group)) {
    if (argument[member] !== expected) {
      fail(`Contract group identifier mismatch: expected ${member} ${expected} for ${contractId}`)
    }
  }
}

export function requireMatchingContract<A extends DamlRecord>(
  scope: ChoiceActions,
  template: Template<A>,
  contractId: ContractId,
  expected: A,
): void {
  const { argument } = scope.fetch(template, contractId)
  if (!isDeepStrictEqual(argument, expected)) {
    fail(`Contract mismatch: the ${template.name} referenced by ${contractId} is not the expected one`)
  }
}

/**
 * The error message is the one of Daml's `assertDeadlineExceeded`.
 * @throws Refused
 */
export function requireReached(deadline: string, at: string, reached: boolean): void {
  if (!reached) fail(`Ledger time is before deadline '${deadline}' at ${at}`)
}

/**
 * The error message is the one of Daml's `assertWithinDeadline`.
 * @throws Refused
 */
export function requireAhead(deadline: string, at: string, ahead: boolean): void {
  if (!ahead) fail(`Ledger time is past deadline '${deadline}' at ${at}`)
}
