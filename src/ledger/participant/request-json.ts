import type { Command, Submission } from '../command.ts'
import { templates } from '../daml/splice/templates.ts'
import type { Template } from '../daml/template.ts'
import type { Party } from '../value.ts'
import {
  type CumulativeFilter,
  type EventFormat,
  type Filters,
  referenceText,
  type TransactionFormat,
  type TransactionShape,
  type UpdateFormat,
} from '../visibility/format.ts'

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

// The functions below write every field, because older participants require fields that later ones
// do not.

export function updateFormatJson(format: UpdateFormat): unknown {
  const { includeTransactions, includeReassignments, includeTopologyEvents } = format
  const authorizations = includeTopologyEvents?.includeParticipantAuthorizationEvents
  return {
    includeTransactions: includeTransactions ? transactionFormatJson(includeTransactions) : null,
    includeReassignments: includeReassignments ? eventFormatJson(includeReassignments) : null,
    includeTopologyEvents: includeTopologyEvents
      ? {
          includeParticipantAuthorizationEvents: authorizations ? { parties: authorizations.parties } : null,
        }
      : null,
  }
}

export function transactionFormatJson({
  eventFormat,
  transactionShape,
}: {
  readonly eventFormat: EventFormat
  readonly transactionShape: TransactionShape
}): unknown {
  return {
    eventFormat: eventFormatJson(eventFormat),
    transactionShape: `TRANSACTION_SHAPE_${transactionShape}`,
  }
}

export function eventFormatJson({ filtersByParty, filtersForAnyParty, verbose }: EventFormat): unknown {
  return {
    filtersByParty: Object.fromEntries([...filtersByParty].map(([party, of]) => [party, filtersJson(of)])),
    filtersForAnyParty: filtersForAnyParty ? filtersJson(filtersForAnyParty) : null,
    verbose,
  }
}

function filtersJson({ cumulative }: Filters): unknown {
  return { cumulative: cumulative.map((filter) => ({ identifierFilter: filterJson(filter) })) }
}

function filterJson(filter: CumulativeFilter): unknown {
  switch (filter.kind) {
    case 'empty':
      return { Empty: {} }
    case 'wildcard': {
      const { includeCreatedEventBlob } = filter
      return { WildcardFilter: { value: { includeCreatedEventBlob } } }
    }
    case 'template': {
      const { includeCreatedEventBlob } = filter
      const templateId = referenceText(filter.templateId)
      return { TemplateFilter: { value: { templateId, includeCreatedEventBlob } } }
    }
    case 'interface': {
      const { includeInterfaceView, includeCreatedEventBlob } = filter
      const interfaceId = referenceText(filter.interfaceId)
      return { InterfaceFilter: { value: { interfaceId, includeInterfaceView, includeCreatedEventBlob } } }
    }
  }
}

export function templateNamed(name: string): Template {
  const known = templates.get(name)
  if (known === undefined) throw new TypeError(`no template ${name} is known`)
  return known.template
}

/** Returns a reference to all versions of a template: `#package-name:Module.Path:Entity`. */
export function qualified(name: string): string {
  return `#${templateNamed(name).package.name}:${name}`
}
