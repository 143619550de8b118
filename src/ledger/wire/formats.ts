import { z } from 'zod'
import type {
  CumulativeFilter,
  EventFormat,
  Filters,
  TopologyFormat,
  TransactionShape,
  TypeReference,
  UpdateFormat,
} from '../visibility/format.ts'
import type { TransactionFilter } from '../visibility/older-form.ts'
import { flag, oneOf, optional } from './relaxed.ts'

/**
 * A format from a request that may lack a required field. Decoding does not reject the request,
 * because Canton reports a missing field only after it has checked the reader's rights.
 */
export interface Requested<F> {
  readonly format: F
  readonly missingField: 'event_format' | 'transaction_shape' | undefined
}

/**
 * Decodes `packageId:Module:Entity` or `#packageName:Module:Entity`. Later checks reject unknown
 * parts.
 */
const reference = z.string().transform((given, ctx): TypeReference => {
  const [named = '', module = '', entity, ...more] = given.split(':')
  if (entity === undefined || more.length > 0) {
    ctx.issues.push({ code: 'custom', message: 'not package:Module:Entity', input: given })
    return z.NEVER
  }
  const of: TypeReference['package'] = named.startsWith('#')
    ? { by: 'name', value: named.slice(1) }
    : { by: 'id', value: named }
  return { package: of, entity: `${module}:${entity}` }
})

const cumulativeFilter: z.ZodType<CumulativeFilter> = z
  .object({
    identifierFilter: oneOf<CumulativeFilter>({
      Empty: z.unknown().transform(() => ({ kind: 'empty' as const })),
      WildcardFilter: z
        .object({ value: z.object({ includeCreatedEventBlob: flag }) })
        .transform(({ value }) => ({ kind: 'wildcard' as const, ...value })),
      TemplateFilter: z
        .object({ value: z.object({ templateId: reference, includeCreatedEventBlob: flag }) })
        .transform(({ value }) => ({ kind: 'template' as const, ...value })),
      InterfaceFilter: z
        .object({
          value: z.object({
            interfaceId: reference,
            includeInterfaceView: flag,
            includeCreatedEventBlob: flag,
          }),
        })
        .transform(({ value }) => ({ kind: 'interface' as const, ...value })),
    }),
  })
  .transform(({ identifierFilter }) => identifierFilter)

const filters: z.ZodType<Filters> = z.object({ cumulative: z.array(cumulativeFilter).default([]) })

const filtersByParty = z
  .record(z.string(), filters)
  .default({})
  .transform((given) => new Map(Object.entries(given)))

export const transactionFilter: z.ZodType<TransactionFilter> = z.object({
  filtersByParty,
  filtersForAnyParty: optional(filters),
})

export const eventFormat: z.ZodType<EventFormat> = z.object({
  filtersByParty,
  filtersForAnyParty: optional(filters),
  verbose: flag,
})

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

const topologyFormat: z.ZodType<TopologyFormat> = z.object({
  includeParticipantAuthorizationEvents: optional(z.object({ parties: z.array(z.string()).default([]) })),
})

const nobody: EventFormat = { filtersByParty: new Map(), filtersForAnyParty: undefined, verbose: false }

export const updateFormat: z.ZodType<Requested<UpdateFormat>> = z
  .object({
    includeTransactions: optional(transactionFormat),
    includeReassignments: optional(eventFormat),
    includeTopologyEvents: optional(topologyFormat),
  })
  .transform(({ includeTransactions, ...others }): Requested<UpdateFormat> => {
    if (includeTransactions === undefined)
      return { format: { includeTransactions: undefined, ...others }, missingField: undefined }
    const { eventFormat = nobody, transactionShape = 'ACS_DELTA' } = includeTransactions
    return {
      format: { includeTransactions: { eventFormat, transactionShape }, ...others },
      missingField: missingOf(includeTransactions),
    }
  })

function missingOf(given: z.output<typeof transactionFormat>): Requested<never>['missingField'] {
  if (given.eventFormat === undefined) return 'event_format'
  return given.transactionShape === undefined ? 'transaction_shape' : undefined
}
