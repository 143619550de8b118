import type { Command, Submission } from '../ledger/command.ts'
import { AnsEntryContext } from '../ledger/daml/splice/ans.ts'
import type { AppTransferContext } from '../ledger/daml/splice/subscription.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type ContractFrom, listContracts } from '../ledger/typed.ts'
import type { ContractId, Micros, Party } from '../ledger/value.ts'
import { type OpenRound, type Rules, type RulesInForce, usableRound } from '../names/rules.ts'
import { dsoUserId } from '../names/users.ts'
import type { Logger } from '../telemetry/logger.ts'

export type EntryContext = ContractFrom<typeof AnsEntryContext>

/** What duties read of a ledger. */
export type DutyLedger = Pick<Ledger, 'contract' | 'contracts' | 'entries' | 'due' | 'setting'>

/** What the DSO's duties work with. */
export interface DutyDeps {
  readonly ledger: DutyLedger
  readonly rules: Rules
  /** Of the name service, in lower case. */
  readonly acronym: string
  readonly logger: Logger
}

/** How many contracts a duty reads at once. */
export const pageSize = 100

/**
 * @param commandId names what is done to which contract, so that to submit it again, after a crash or by another loop,
 * changes nothing.
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

/** What was asked for with a subscription request. */
export async function contextOf(
  ledger: Pick<Ledger, 'contracts'>,
  reference: ContractId,
): Promise<EntryContext | undefined> {
  const [context] = await listContracts(ledger, AnsEntryContext, { where: { reference } }, 1)
  return context
}

/** What the DSO handles payments with: in the given round, or where none is given in the newest open one. */
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
