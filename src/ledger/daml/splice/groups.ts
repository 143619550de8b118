import { isDeepStrictEqual } from 'node:util'
import type { ContractId, DamlRecord } from '../../value.ts'
import { fail } from '../refused.ts'
import type { ContractOf, Scope, Template } from '../template.ts'

/** Members that a contract shares with all of its group: those of one DSO, or of one owner under it. */
type Group<A extends DamlRecord> = Partial<A>

/** A contract that must be of a group. */
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

/** A contract id that must refer to exactly this contract. */
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

/** @throws Refused in the words of Daml's `assertDeadlineExceeded`. */
export function requireReached(deadline: string, at: string, reached: boolean): void {
  if (!reached) fail(`Ledger time is before deadline '${deadline}' at ${at}`)
}

/** @throws Refused in the words of Daml's `assertWithinDeadline`. */
export function requireAhead(deadline: string, at: string, ahead: boolean): void {
  if (!ahead) fail(`Ledger time is past deadline '${deadline}' at ${at}`)
}
