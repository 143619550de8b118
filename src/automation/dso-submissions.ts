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
 * @param commandId identifies the action and its contract. The ledger executes each command id only
 * once, so a repetition after a crash, or by a second `Automation`, changes nothing.
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
 * Finds the request for a name (`AnsEntryContext`) to which a subscription request belongs.
 * @param reference the contract id of the subscription request.
 */
export async function contextOf(
  ledger: Pick<Ledger, 'contracts'>,
  reference: ContractId,
): Promise<EntryContext | undefined> {
  const [context] = await listContracts(ledger, AnsEntryContext, { where: { reference } }, 1)
  return context
}

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
