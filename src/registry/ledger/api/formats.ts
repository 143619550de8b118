import { z } from 'zod'
import { Holding } from '../daml/packages.ts'
import { type TypeName, templates } from '../daml/splice/templates.ts'
import type { Template } from '../daml/template.ts'
import type { Contract } from '../update.ts'
import { type Party, templateNameOf } from '../value.ts'
import { flag, oneOf, optional } from './relaxed.ts'

// The part of a request that selects updates and events, as in Canton's update_service.proto and
// transaction_filter.proto.

/**
 * Selects the events of one template's contracts, of the contracts that implement an interface, or
 * of all contracts.
 */
export interface Filter {
  readonly template?: TypeName
  readonly interface?: TypeName
  readonly includeInterfaceView?: boolean
  readonly includeCreatedEventBlob: boolean
}

/** An event is selected if a filter for any party matches it, or a filter of one of its witnesses. */
export interface EventFormat {
  readonly filtersByParty: ReadonlyMap<Party, readonly Filter[]>
  readonly filtersForAnyParty: readonly Filter[] | undefined
}

/**
 * - `ACS_DELTA`: stakeholders get the creates and archives that change the active contract set
 *   (ACS).
 * - `LEDGER_EFFECTS`: witnesses get all creates and exercises in the tree of the transaction.
 */
export type TransactionShape = 'ACS_DELTA' | 'LEDGER_EFFECTS'

/** If the format for a kind of update is undefined, updates of that kind are not delivered. */
export interface UpdateFormat {
  readonly transactions: { readonly events: EventFormat; readonly shape: TransactionShape } | undefined
  readonly reassignments: EventFormat | undefined
  /** The parties whose topology events are delivered. An empty list selects those of all parties. */
  readonly topology: readonly Party[] | undefined
  /**
   * A required field that the request lacks. Canton reports it only after it has checked the
   * reader's rights, so decoding does not reject the request.
   */
  readonly missingField?: 'event_format' | 'transaction_shape' | undefined
}

export function eventFormatsOf({ transactions, reassignments }: UpdateFormat): readonly EventFormat[] {
  return [transactions?.events, reassignments].filter((format) => format !== undefined)
}

/** `packageId:Module:Entity` or `#packageName:Module:Entity`. Later checks reject unknown parts. */
const reference = z.string().refine((given) => given.split(':').length === 3, 'not package:Module:Entity')
const wildcard: Filter = { includeCreatedEventBlob: false }

const cumulativeFilter = z
  .object({
    identifierFilter: oneOf<Filter | undefined>({
      Empty: z.unknown().transform(() => undefined),
      WildcardFilter: z
        .object({ value: z.object({ includeCreatedEventBlob: flag }) })
        .transform(({ value }) => value),
      TemplateFilter: z
        .object({ value: z.object({ templateId: reference, includeCreatedEventBlob: flag }) })
        .transform(({ value: { templateId: template, ...rest } }) => ({ template, ...rest })),
      InterfaceFilter: z
        .object({
          value: z.object({
            interfaceId: reference,
            includeInterfaceView: flag,
            includeCreatedEventBlob: flag,
          }),
        })
        .transform(({ value: { interfaceId, ...rest } }) => ({ interface: interfaceId, ...rest })),
    }),
  })
  .transform(({ identifierFilter }) => identifierFilter)

/** An empty list, or one with only `Empty` filters, selects every event. */
const filters = z
  .object({ cumulative: z.array(cumulativeFilter).default([]) })
  .transform(({ cumulative }): readonly Filter[] => {
    const given = cumulative.filter((filter) => filter !== undefined)
    return given.length > 0 ? given : [wildcard]
  })

export const transactionFilter = z.object({
  filtersByParty: z
    .record(z.string(), filters)
    .default({})
    .transform((given) => new Map(Object.entries(given))),
  filtersForAnyParty: optional(filters),
})

/** Canton's flag `verbose` has no effect in JSON, where the fields of a record always have names. */
export const eventFormat = transactionFilter
  .extend({ verbose: flag })
  .transform(
    ({ filtersByParty, filtersForAnyParty }): EventFormat => ({ filtersByParty, filtersForAnyParty }),
  )

const shapes: Readonly<Record<string, TransactionShape | undefined>> = {
  TRANSACTION_SHAPE_UNSPECIFIED: undefined,
  TRANSACTION_SHAPE_ACS_DELTA: 'ACS_DELTA',
  TRANSACTION_SHAPE_LEDGER_EFFECTS: 'LEDGER_EFFECTS',
}

const transactionFormat = z.object({
  eventFormat: optional(eventFormat),
  transactionShape: z
    .enum(Object.keys(shapes) as [string, ...string[]])
    .nullable()
    .transform((name) => (name === null ? undefined : shapes[name])),
})

const topologyFormat = z.object({
  includeParticipantAuthorizationEvents: optional(z.object({ parties: z.array(z.string()).default([]) })),
})

const nobody: EventFormat = { filtersByParty: new Map(), filtersForAnyParty: undefined }

export const updateFormat = z
  .object({
    includeTransactions: optional(transactionFormat),
    includeReassignments: optional(eventFormat),
    includeTopologyEvents: optional(topologyFormat),
  })
  .transform(({ includeTransactions, includeReassignments: reassignments, includeTopologyEvents }) => {
    const topology = includeTopologyEvents?.includeParticipantAuthorizationEvents?.parties
    if (includeTransactions === undefined) return { transactions: undefined, reassignments, topology }
    const { eventFormat: events = nobody, transactionShape: shape = 'ACS_DELTA' } = includeTransactions
    const missingField = missingOf(includeTransactions)
    return { transactions: { events, shape }, reassignments, topology, missingField }
  })

function missingOf(given: z.output<typeof transactionFormat>): UpdateFormat['missingField'] {
  if (given.eventFormat === undefined) return 'event_format'
  return given.transactionShape === undefined ? 'transaction_shape' : undefined
}

/**
 * Returns what the filter of an older request stands for. An empty list of parties would select all
 * topology events, so a filter without parties selects none.
 */
export function updatesOf(filter: EventFormat): UpdateFormat {
  const { filtersByParty, filtersForAnyParty } = filter
  const named = filtersByParty.size === 0 ? undefined : [...filtersByParty.keys()]
  return {
    transactions: { events: filter, shape: 'ACS_DELTA' },
    reassignments: filter,
    topology: filtersForAnyParty === undefined ? named : [],
  }
}

/** The parts of a contract's events that a reader gets. */
export interface Selected {
  readonly witnessParties: readonly Party[]
  readonly hasBlob: boolean
  /** The template whose contracts show a view of the interface `Holding`; undefined without the view. */
  readonly viewed: Template | undefined
}

/**
 * Selects events by a format, to whose parties the reader has the right. An event shows the
 * witnesses that `filtersByParty` names, or all witnesses if the format has `filtersForAnyParty`
 * (EventProjectionProperties.scala).
 */
export class EventSelection {
  readonly #format: EventFormat

  constructor(format: EventFormat) {
    this.#format = format
  }

  /** Keeps the parties whose events the request asks for. */
  among(parties: readonly Party[]): readonly Party[] {
    const { filtersByParty, filtersForAnyParty } = this.#format
    return filtersForAnyParty === undefined ? parties.filter((party) => filtersByParty.has(party)) : parties
  }

  /**
   * Returns undefined if the reader does not get the event.
   * @param informed the parties that may get the event: its witnesses in a transaction of shape
   * `LEDGER_EFFECTS`, and the stakeholders of the contract in all other cases.
   */
  select(
    { templateId, packageName }: Pick<Contract, 'templateId' | 'packageName'>,
    informed: readonly Party[],
  ): Selected | undefined {
    const { filtersByParty, filtersForAnyParty = [] } = this.#format
    const witnessParties = this.among(informed)
    const name = templateNameOf(templateId)
    const template = templates.get(name)
    const matching = [
      ...filtersForAnyParty,
      ...witnessParties.flatMap((party) => filtersByParty.get(party) ?? []),
    ].filter((filter) => matches(filter, `#${packageName}:${name}`, template))
    if (matching.length === 0) return undefined
    return {
      witnessParties,
      hasBlob: matching.some(({ includeCreatedEventBlob }) => includeCreatedEventBlob),
      viewed: matching.some(({ includeInterfaceView }) => includeInterfaceView) ? template : undefined,
    }
  }
}

const holding = `#${Holding.package.name}:${Holding.name}`

function matches(filter: Filter, template: string, { holding: view }: Partial<Template> = {}): boolean {
  if (filter.template !== undefined) return filter.template === template
  return filter.interface === undefined || (filter.interface === holding && view !== undefined)
}
