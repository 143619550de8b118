import { isDeepStrictEqual } from 'node:util'
import type { ContractId, DamlRecord } from '../../value.ts'
import { fail } from '../refused.ts'
import type { ContractOf, Scope, Template } from '../template.ts'

/**
 * Expected values of some fields of a contract's argument, such as `dso` and `owner`. The fields identify the
 * parties to whom the contract belongs. Splice calls them the contract's group.
 */
type Group<A extends DamlRecord> = Partial<A>

/**
 * Fetches a contract. Rejects the submission if a field of the contract's argument differs from `group`.
 * @throws Refused
 */
export function fetchOf<A extends DamlRecord>(
  scope: Scope,
  template: Template<A>,
  contractId: ContractId,
  group: Group<A>,
): ContractOf<A> {
  const contract = scope.fetch(template, contractId)
  requireGroup(contract.argument, group, contractId)
  return contract
}

export function requireGroup<A extends DamlRecord>(
  argument: A,
  group: Group<A>,
  contractId: ContractId,
): void {
  for (const [member, expected] of Object.entries(group)) {
    if (argument[member] !== expected) {
      fail(`Contract group identifier mismatch: expected ${member} ${expected} for ${contractId}`)
    }
  }
}

/**
 * Rejects the submission if the contract's argument is not equal to `expected`.
 * @throws Refused
 */
export function requireMatchingContract<A extends DamlRecord>(
  scope: Scope,
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
 * Rejects the submission if the deadline has not been reached yet. The error message is the one of Daml's
 * `assertDeadlineExceeded`.
 * @param deadline the name of the deadline.
 * @throws Refused
 */
export function requireReached(deadline: string, at: string, reached: boolean): void {
  if (!reached) fail(`Ledger time is before deadline '${deadline}' at ${at}`)
}

/**
 * Rejects the submission if the deadline has passed. The error message is the one of Daml's
 * `assertWithinDeadline`.
 * @param deadline the name of the deadline.
 * @throws Refused
 */
export function requireAhead(deadline: string, at: string, ahead: boolean): void {
  if (!ahead) fail(`Ledger time is past deadline '${deadline}' at ${at}`)
}
