import { isDeepStrictEqual } from 'node:util'
import type { ContractId, DamlRecord } from '../../value.ts'
import { fail } from '../refused.ts'
import type { ContractOf, Scope, Template } from '../template.ts'

/** The part of an argument that tells whose the contract is: of which DSO, or of which owner under that DSO. */
type Group<A extends DamlRecord> = Partial<A>

/** Fetches a contract. Refuses the submission if the contract does not belong to the group. */
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

/** Fetches a contract. Refuses the submission unless the contract's argument equals `expected`. */
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
 * Refuses the submission, in the words of Daml's `assertDeadlineExceeded`, unless the deadline has been reached.
 * @throws Refused
 */
export function requireReached(deadline: string, at: string, reached: boolean): void {
  if (!reached) fail(`Ledger time is before deadline '${deadline}' at ${at}`)
}

/**
 * Refuses the submission, in the words of Daml's `assertWithinDeadline`, if the deadline has been reached.
 * @throws Refused
 */
export function requireAhead(deadline: string, at: string, ahead: boolean): void {
  if (!ahead) fail(`Ledger time is past deadline '${deadline}' at ${at}`)
}
