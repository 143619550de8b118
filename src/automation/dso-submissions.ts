import type { Command, Submission } from '../ledger/command.ts'
import { AnsEntryContext } from '../ledger/daml/splice/ans.ts'
import type { AppTransferContext } from '../ledger/daml/splice/subscription.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type ContractFrom, listContracts } from '../ledger/typed.ts'
import type { ContractId, Micros, Party } from '../ledger/value.ts'
import { type OpenRound, type RulesInForce, usableRound } from '../names/cached-rules.ts'
import { dsoUserId } from '../names/user-id.ts'

export type EntryContext = ContractFrom<typeof AnsEntryContext>

/**
 * Returns a submission of these commands by the DSO.
 * @param commandId a string that identifies the action and its contract. The ledger executes each command id
 * only once. After a crash, or if a second `Automation` runs, a repeated submission therefore changes
 * nothing.
 */
export function byDso(dso: Party, commandId: string, commands: readonly Command[]): Submission {
  return {
    commandId,
    userId: dsoUserId,
    actAs: [dso],
    readAs: [],
    workflowId: '',
    commands,
    disclosed: [],
  }
}

/**
 * Finds the request for a name (`AnsEntryContext`) to which a subscription request belongs. Undefined if the
 * subscription request is not for a name, or if its `AnsEntryContext` is archived.
 * @param reference the contract id of the subscription request.
 */
export async function contextOf(
  ledger: Pick<Ledger, 'contracts'>,
  reference: ContractId,
): Promise<EntryContext | undefined> {
  const [context] = await listContracts(ledger, AnsEntryContext, { where: { reference } }, 1)
  return context
}

/**
 * Returns the contracts that the DSO needs to collect, reject or expire a payment.
 * @param number the number of the mining round to use. By default the newest open round.
 * @returns undefined if the ledger lacks the round or the `AmuletRules`.
 */
export function transferContext(
  { amuletRules, rounds }: RulesInForce,
  now: Micros,
  number?: string,
): AppTransferContext | undefined {
  const round = number === undefined ? usableRound(rounds, now) : openRound(rounds, number)
  if (amuletRules === undefined || round === undefined) return undefined
  return {
    amuletRules: amuletRules.contractId,
    openMiningRound: round.contractId,
    featuredAppRight: null,
  }
}

function openRound(rounds: readonly OpenRound[], number: string): OpenRound | undefined {
  return rounds.find(({ argument }) => argument.round.number === number)
}
