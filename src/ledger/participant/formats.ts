import type {
  CumulativeFilter,
  EventFormat,
  Filters,
  TransactionShape,
  UpdateFormat,
} from '../visibility/format.ts'
import { referenceText } from '../visibility/reference.ts'

// Formats as the JSON Ledger API writes them. Every member is there, also those that only older versions require.

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
