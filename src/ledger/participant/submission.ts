import type { Command, Submission } from '../command.ts'
import type { Party } from '../value.ts'
import type { TransactionFormat } from '../visibility/format.ts'
import { qualified } from './templates.ts'

/**
 * `JsCommands`. Disclosed contracts have an empty synchronizer, which stands for none, because 3.4 wants to have one.
 * @param begin the offset from which on the command id is unlike any other.
 */
export function commandJson(submission: Submission, begin: number): unknown {
  const { commandId, userId, actAs, readAs, workflowId, commands, disclosed } = submission
  return {
    commands: commands.map(oneJson),
    commandId,
    userId,
    actAs,
    readAs,
    workflowId: workflowId === '' ? null : workflowId,
    deduplicationPeriod: { DeduplicationOffset: { value: begin } },
    disclosedContracts: disclosed.map(({ contractId, createdEventBlob }) => ({
      contractId,
      createdEventBlob,
      synchronizerId: '',
    })),
    synchronizerId: '',
    packageIdSelectionPreference: [],
  }
}

function oneJson(command: Command): unknown {
  const templateId = qualified(command.template)
  if (command.kind === 'create') return { CreateCommand: { templateId, createArguments: command.argument } }
  const { contractId, choice, argument } = command
  return { ExerciseCommand: { templateId, contractId, choice, choiceArgument: argument } }
}

/** All that these parties witness. */
export function effectsOf(parties: readonly Party[]): TransactionFormat {
  return {
    eventFormat: {
      filtersByParty: new Map(parties.map((party) => [party, { cumulative: [] }])),
      filtersForAnyParty: undefined,
      verbose: false,
    },
    transactionShape: 'LEDGER_EFFECTS',
  }
}
