import type { Logger } from '../../base/telemetry/logger.ts'
import { AnsEntryContext } from '../../registry/ledger/daml/splice/ans.ts'
import type { AppTransferContext } from '../../registry/ledger/daml/splice/subscriptions.ts'
import type { EmbeddedLedger } from '../../registry/ledger/embedded/embedded-ledger.ts'
import {
  type Command,
  type ContractFrom,
  listContracts,
  type Submission,
} from '../../registry/ledger/ledger.ts'
import type { ContractId, Micros, Party } from '../../registry/ledger/value.ts'
import { type Rules, type RulesInForce, usableRound } from '../../registry/names/rules.ts'
import { dsoUserId } from '../../registry/names/users.ts'

/** A recurring task, which reads the ledger and returns the submissions that are needed now. */
export interface Duty {
  readonly name: string
  /** The templates (`Module.Path:Entity`) whose new contracts queue the duty to run. */
  readonly wokenBy: readonly string[]
  /**
   * The submissions of one batch do not depend on each other and are submitted together. The caller
   * requests a batch only when all submissions of the previous batch have an outcome.
   */
  batches(now: Micros): AsyncIterable<readonly Submission[]>
}

export interface DutyDeps {
  readonly ledger: Pick<EmbeddedLedger, 'contract' | 'contracts' | 'entries' | 'due' | 'setting'>
  readonly rules: Rules
  readonly acronym: string
  readonly logger: Logger
}

export const pageSize = 100

/**
 * @param commandId identifies the action and its contract. The ledger executes each command id only
 * once, so a repetition after a crash, or by a second `Automation`, changes nothing.
 */
export function byDso(dso: Party, commandId: string, commands: readonly Command[]): Submission {
  return {
    commandId,
    userId: dsoUserId,
    actAs: [dso],
    commands,
    disclosed: [],
  }
}

/**
 * Finds the request for a name to which a subscription request belongs.
 * @param reference the contract id of the subscription request.
 */
export async function contextOf(
  ledger: DutyDeps['ledger'],
  reference: ContractId,
): Promise<ContractFrom<typeof AnsEntryContext> | undefined> {
  const [context] = await listContracts(ledger, AnsEntryContext, { where: { reference } }, 1)
  return context
}

/** @param number the number of the round; the newest open round by default. */
export function transferContext(
  { amuletRules, rounds }: RulesInForce,
  now: Micros,
  number?: string,
): AppTransferContext | undefined {
  const round =
    number === undefined
      ? usableRound(rounds, now)
      : rounds.find(({ argument }) => argument.round.number === number)
  if (amuletRules === undefined || round === undefined) return undefined
  return {
    amuletRules: amuletRules.contractId,
    openMiningRound: round.contractId,
    featuredAppRight: null,
  }
}
