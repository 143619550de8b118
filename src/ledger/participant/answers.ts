import { z } from 'zod'
import { parseJsonText } from '../../lib/parse-json-text.ts'
import { tryMicros } from '../daml/time.ts'
import { LedgerUnavailable } from '../ledger.ts'
import type { DamlRecord, DamlValue } from '../value.ts'

// Schemas of a participant's responses. Fields that this program does not read are ignored, because
// later versions of Canton may add some.

type AnswerJson = { readonly [member: string]: unknown }

/** Thrown if a response of the participant does not fit its API. */
export class MalformedResponse extends LedgerUnavailable {}

export function parsed(text: string): unknown {
  try {
    return parseJsonText(text)
  } catch {
    throw new MalformedResponse('The participant sent a text that is no JSON.')
  }
}

export function decode<S extends z.ZodType>(schema: S, answer: unknown): z.output<S> {
  const result = schema.safeParse(answer)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new MalformedResponse(
    `The participant sent an unexpected answer at "${issue?.path.join('.')}": ${issue?.message}.`,
  )
}

/** Canton writes an offset or a count as a JSON number, or as a string of decimal digits. */
const offsetOrCount = z.preprocess(
  (given) => (typeof given === 'string' && /^\d{1,16}$/.test(given) ? Number(given) : given),
  z.int().nonnegative(),
)

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

const json: z.ZodType<AnswerJson> = z.record(z.string(), z.unknown())

export const ledgerEnd = z.object({ offset: offsetOrCount })

export const user = z.object({ user: z.object({ id: z.string(), primaryParty: optionalText }) })

export const update = z
  .object({ update: z.record(z.string(), z.object({ value: z.looseObject({ offset: offsetOrCount }) })) })
  .refine(({ update }) => Object.keys(update).length === 1, 'not exactly one variant')
  .transform(({ update }) => {
    const [[variant, { value: content }]] = Object.entries(update) as [[string, { value: Placed }]]
    return { variant, content }
  })

type Placed = AnswerJson & { readonly offset: number }

const placed = z.looseObject({ offset: offsetOrCount })
const created = z.object({ createdEvent: placed })

/**
 * The last two variants are contracts that are being reassigned. Participants list them too,
 * although they are active on no synchronizer.
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

export const activeContract = z.object({ contractEntry, streamContinuationToken: optionalText })

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
  z.object({ CreatedEvent: createdEvent.extend({ nodeId: offsetOrCount, witnessParties: parties }) }),
  z.object({
    ExercisedEvent: z.object({
      nodeId: offsetOrCount,
      lastDescendantNodeId: offsetOrCount,
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

export const transaction = z.object({
  offset: offsetOrCount,
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

export const submitted = z.object({ transaction })

const textOrNull = z.string().nullable().catch(null)

/** Canton before 3.6 writes the resource type `CONTRACT_ID` as `ErrorResource(CONTRACT_ID)`. */
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
