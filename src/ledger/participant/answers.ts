import { z } from 'zod'
import { parseJsonText } from '../../lib/parse-json-text.ts'
import { tryMicros } from '../daml/time.ts'
import { LedgerUnavailable } from '../ledger.ts'
import type { DamlRecord, DamlValue } from '../value.ts'

// Schemas of a participant's responses. They have only the fields that this program reads. All other fields
// are ignored, because later versions of Canton may add some.

export type AnswerJson = { readonly [member: string]: unknown }

/** Thrown if a response of the participant does not fit its API. */
export class Garbage extends LedgerUnavailable {}

/**
 * Parses JSON.
 * @throws Garbage
 */
export function parsed(text: string): unknown {
  try {
    return parseJsonText(text)
  } catch {
    throw new Garbage('The participant sent a text that is no JSON.')
  }
}

/**
 * Decodes a response by its schema.
 * @throws Garbage, whose message contains the path of the first field that does not fit the schema.
 */
export function understand<S extends z.ZodType>(schema: S, answer: unknown): z.output<S> {
  const result = schema.safeParse(answer)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new Garbage(
    `The participant sent an unexpected answer at "${issue?.path.join('.')}": ${issue?.message}.`,
  )
}

/** An offset or a count: a JSON number, or a string of its decimal digits. */
const whole = z.preprocess(
  (given) => (typeof given === 'string' && /^\d{1,16}$/.test(given) ? Number(given) : given),
  z.int().nonnegative(),
)

/** An optional string. The result is undefined if the value is missing, empty or not a string. */
const optionalText = z
  .unknown()
  .optional()
  .transform((given) => (typeof given === 'string' && given !== '' ? given : undefined))

const micros = z.string().transform((text, ctx): number => {
  const read = tryMicros(text)
  if (read !== undefined) return read
  ctx.issues.push({ code: 'custom', message: 'not a time', input: text })
  return z.NEVER
})

const parties = z.array(z.string())
const damlValue = z.custom<DamlValue>()
const damlRecord = z.record(z.string(), z.unknown()) as unknown as z.ZodType<DamlRecord>

export const json: z.ZodType<AnswerJson> = z.record(z.string(), z.unknown())

/** The response `GetLedgerApiVersionResponse` of Canton's JSON Ledger API. */
export const version = z.looseObject({ version: z.string() })

/** The response `GetLedgerEndResponse` of Canton's JSON Ledger API. Canton before 3.6 sends no times. */
export const ledgerEnd = z.object({
  offset: whole,
  synchronizerTimes: z
    .array(z.object({ synchronizerId: z.string(), recordTime: z.string() }))
    .nullish()
    .transform((times) => times ?? []),
})

/** The response `GetLatestPrunedOffsetsResponse` of Canton's JSON Ledger API. */
export const prunedOffsets = z.object({ participantPrunedUpToInclusive: whole })

/** The response `GetUserResponse` of Canton's JSON Ledger API. */
export const user = z.object({ user: z.object({ id: z.string(), primaryParty: optionalText }) })

/** The response `GetConnectedSynchronizersResponse` of Canton's JSON Ledger API. */
export const connectedSynchronizers = z.object({
  connectedSynchronizers: z.array(
    z.object({
      synchronizerAlias: z.string(),
      synchronizerId: z.string(),
      permission: optionalText.transform((permission) => permission ?? 'PARTICIPANT_PERMISSION_UNSPECIFIED'),
    }),
  ),
})

/** The response `GetUpdatesPageResponse` of Canton's JSON Ledger API. */
export const updatesPage = z.object({
  lowestPageOffsetExclusive: whole,
  highestPageOffsetInclusive: whole,
  updates: z.array(z.unknown()),
  nextPageToken: optionalText,
})

/** The response `GetActiveContractsPageResponse` of Canton's JSON Ledger API. */
export const contractsPage = z.object({
  activeAtOffset: whole,
  activeContracts: z.array(z.unknown()),
  nextPageToken: optionalText,
})

/**
 * An update: `{"update": {"<variant>": {"value": {...}}}}`. The schema permits any variant, because the
 * daemon needs only the offset of an update to pass it on.
 */
export const update = z
  .object({ update: z.record(z.string(), z.object({ value: z.looseObject({ offset: whole }) })) })
  .refine(({ update }) => Object.keys(update).length === 1, 'not exactly one variant')
  .transform(({ update }) => {
    const [[variant, { value: content }]] = Object.entries(update) as [[string, { value: Placed }]]
    return { variant, content }
  })

type Placed = AnswerJson & { readonly offset: number }

const placed = z.looseObject({ offset: whole })
const created = z.object({ createdEvent: placed })

/**
 * The entry of one active contract. Only its `CreatedEvent` is decoded. The last two variants are contracts
 * that are being reassigned: participants list them too, although they are active on no synchronizer.
 */
const contractEntry = z.union([
  z.object({ JsActiveContract: created }).transform(({ JsActiveContract: entry }) => entry.createdEvent),
  z
    .object({ JsIncompleteUnassigned: created })
    .transform(({ JsIncompleteUnassigned: entry }) => entry.createdEvent),
  z
    .object({ JsIncompleteAssigned: z.object({ assignedEvent: created }) })
    .transform(({ JsIncompleteAssigned: entry }) => entry.assignedEvent.createdEvent),
])

/** One of the active contracts: `{"workflowId":"","contractEntry":{...}}`. */
export const activeContract = z.object({ contractEntry, streamContinuationToken: optionalText })

/** The response `GetEventsByContractIdResponse` of Canton's JSON Ledger API. */
export const contractEvents = z.object({
  created: z.object({ createdEvent: z.looseObject({ templateId: z.string() }) }).nullish(),
  archived: json.nullish(),
})

export const createdEvent = z.object({
  contractId: z.string(),
  templateId: z.string(),
  packageName: z.string(),
  createArgument: damlRecord,
  signatories: parties,
  observers: parties,
  createdEventBlob: optionalText,
  createdAt: micros,
})

const node = z.union([
  z.object({ CreatedEvent: createdEvent.extend({ nodeId: whole, witnessParties: parties }) }),
  z.object({
    ExercisedEvent: z.object({
      nodeId: whole,
      lastDescendantNodeId: whole,
      contractId: z.string(),
      templateId: z.string(),
      packageName: z.string(),
      choice: z.string(),
      choiceArgument: damlValue,
      exerciseResult: damlValue,
      consuming: z.unknown().transform((given) => given === true),
      actingParties: parties,
      witnessParties: parties,
    }),
  }),
])

/** A `JsTransaction` of Canton's JSON Ledger API in the shape `LEDGER_EFFECTS`, which has creates and exercises. */
export const transaction = z.object({
  offset: whole,
  updateId: z.string(),
  commandId: z.string(),
  workflowId: optionalText,
  effectiveAt: micros,
  recordTime: micros,
  synchronizerId: z.string(),
  events: z.array(node),
})

export type ReadCreatedEvent = z.output<typeof createdEvent>
export type ReadTransaction = z.output<typeof transaction>

/** The response `SubmitAndWaitForTransactionResponse` of Canton's JSON Ledger API. */
export const submitted = z.object({ transaction })

const textOrNull = z.string().nullable().catch(null)

/**
 * A resource that an error refers to: its type, such as `CONTRACT_ID`, and its value. Canton before 3.6
 * writes the type as `ErrorResource(CONTRACT_ID)`. The schema shortens that to `CONTRACT_ID`.
 */
const resource = z
  .tuple([z.string(), z.string()], z.unknown())
  .transform(([type, value]): [string, string] => [type.replace(/^ErrorResource\((.*)\)$/, '$1'), value])

export const cantonError = z.object({
  code: z.string(),
  cause: z.string(),
  correlationId: textOrNull,
  traceId: textOrNull,
  context: z.record(z.string(), z.string()).catch({}),
  resources: z.array(resource).catch([]),
  errorCategory: z.number().catch(-1),
  grpcCodeValue: z.number().nullable().catch(null),
  retryInfo: textOrNull,
  definiteAnswer: z.boolean().nullable().catch(null),
})
