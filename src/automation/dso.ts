import type { Command, Submission } from '../ledger/command.ts'
import { AnsEntryContext } from '../ledger/daml/splice/ans.ts'
import type { AppTransferContext } from '../ledger/daml/splice/subscription.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type ContractFrom, listContracts } from '../ledger/typed.ts'
import type { ContractId, Micros, Party } from '../ledger/value.ts'
import { type OpenRound, type Rules, type RulesInForce, usableRound } from '../names/rules-in-force.ts'
import { dsoUserId } from '../names/users.ts'
import type { Logger } from '../telemetry/logger.ts'

export type EntryContext = ContractFrom<typeof AnsEntryContext>

/** The methods of a ledger that the tasks of automation use. */
export type DutyLedger = Pick<Ledger, 'contract' | 'contracts' | 'entries' | 'due' | 'setting'>

/** The dependencies of the DSO's tasks. */
export interface DutyDeps {
  readonly ledger: DutyLedger
  readonly rules: Rules
  /** The last part of every name, in lower case: `cns`. */
  readonly acronym: string
  readonly logger: Logger
}

/** The most contracts that a task reads at a time. */
export const pageSize = 100

/**
 * Returns a submission of these commands by the DSO.
 * @param commandId names the action and the contract that it concerns. The ledger carries out one command id once, so
 * a repeated submission, after a crash or by a second loop, changes nothing.
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
 * Finds what a subscription request was for: the requested name, url and description. Undefined if the request was
 * not for a name, or its context is archived.
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
 * Returns the contracts with which the DSO handles a payment: in round `number`, by default in the newest open round.
 * Undefined if the ledger lacks that round or the amulet rules.
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
