import { z } from 'zod'
import { Refused } from './errors.ts'

// The bodies that the fake understands: the forms in which the daemon asks. Any other form is refused as Canton refuses
// a body that it cannot decode.

const party = z.string().regex(/^[a-zA-Z0-9:\-_ ]{1,255}$/)
const offset = z.int().nonnegative()
const templateId = z.string().regex(/^#[^:]+:[^:]+:[^:]+$/)
const templateFilter = z.object({
  TemplateFilter: z.object({ value: z.object({ templateId, includeCreatedEventBlob: z.boolean() }) }),
})

const eventFormat = z.object({
  filtersByParty: z.record(
    party,
    z.object({ cumulative: z.array(z.object({ identifierFilter: templateFilter })).max(1) }),
  ),
  filtersForAnyParty: z.null(),
  verbose: z.boolean(),
})

export type EventFormat = z.output<typeof eventFormat>

const transactionFormat = z.object({
  eventFormat,
  transactionShape: z.literal('TRANSACTION_SHAPE_LEDGER_EFFECTS'),
})

export const updatesRequest = z.object({
  beginExclusive: offset,
  endInclusive: offset,
  updateFormat: z.object({
    includeTransactions: transactionFormat,
    includeReassignments: z.null(),
    includeTopologyEvents: z.null(),
  }),
  descendingOrder: z.literal(false),
})

export const contractsRequest = z.object({
  activeAtOffset: offset,
  eventFormat,
  streamContinuationToken: z.base64().optional(),
})

export const eventsRequest = z.object({ contractId: z.string(), eventFormat })

export const submission = z.object({
  commands: z.object({
    commands: z.tuple([
      z.object({
        ExerciseCommand: z.object({
          templateId: z.literal('#splice-amulet-name-service:Splice.Ans:AnsRules'),
          contractId: z.string(),
          choice: z.literal('AnsRules_RequestEntry'),
          choiceArgument: z.looseObject({}),
        }),
      }),
    ]),
    commandId: z.string(),
    userId: z.string(),
    actAs: z.tuple([party]),
    deduplicationPeriod: z.object({ DeduplicationOffset: z.object({ value: offset }) }),
    disclosedContracts: z.array(
      z.object({ contractId: z.string(), createdEventBlob: z.base64(), synchronizerId: z.string() }),
    ),
  }),
  transactionFormat,
})

export const completionsRequest = z.object({
  userId: z.string(),
  parties: z.array(party),
  beginExclusive: offset,
})

/** @throws Refused if the text is no JSON of this form. */
export function decoded<S extends z.ZodType>(schema: S, text: string): z.output<S> {
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    throw new Refused([400, `Invalid value for: body (${error})`])
  }
}
