import type { Command, Submission } from '../command.ts'
import { templates } from '../daml/splice/templates.ts'
import type { Template } from '../daml/template.ts'
import type { Party } from '../value.ts'

// The functions below write every field, because older participants require fields that later ones
// do not.

/**
 * An empty `synchronizerId` lets the participant choose the synchronizer. Canton 3.4 requires the
 * field in disclosed contracts.
 * @param begin the offset after which the participant looks for an earlier submission with the same
 * command id.
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

/** Selects everything that transactions did in the view of the parties. */
export function effectsJson(parties: readonly Party[]): unknown {
  return { eventFormat: eventsJson(parties), transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' }
}

/** @param template the name of the only template; undefined selects all. */
export function eventsJson(parties: readonly Party[], template?: string): unknown {
  const identifierFilter = template !== undefined && {
    TemplateFilter: { value: { templateId: qualified(template), includeCreatedEventBlob: false } },
  }
  const filters = { cumulative: identifierFilter ? [{ identifierFilter }] : [] }
  return {
    filtersByParty: Object.fromEntries(parties.map((party) => [party, filters])),
    filtersForAnyParty: null,
    verbose: false,
  }
}

export function templateNamed(name: string): Template {
  const known = templates.get(name)
  if (known === undefined) throw new TypeError(`no template ${name} is known`)
  return known.template
}

/** Returns a reference to all versions of a template: `#package-name:Module.Path:Entity`. */
function qualified(name: string): string {
  return `#${templateNamed(name).package.name}:${name}`
}
