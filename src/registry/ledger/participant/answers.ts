import { z } from 'zod'
import { tryJsonText } from '../../../base/lib/parse-json-text.ts'
import { LedgerRefusal, LedgerUnavailable } from '../ledger.ts'
import type { DamlRecord, DamlValue } from '../value.ts'
import { type ApiAnswer, TooLarge } from './json-api.ts'

// Schemas of a participant's responses. Fields that this program does not read are ignored, because
// later versions of Canton may add some.

/** Thrown if a response of the participant does not fit its API. */
export class MalformedResponse extends LedgerUnavailable {}

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

export const ledgerEnd = z.object({ offset: offsetOrCount })

export const user = z.object({ user: z.object({ id: z.string(), primaryParty: optionalText }) })

const created = z.object({
  createdEvent: z.object({
    offset: offsetOrCount,
    contractId: z.string(),
    templateId: z.string(),
    createArgument: z.record(z.string(), z.unknown()) as unknown as z.ZodType<DamlRecord>,
  }),
})

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

export const contractEvents = z.object({ created: created.nullish(), archived: z.unknown() })

/** The transaction of a submission, whose first event is what its first command exercised. */
const transaction = z.object({
  commandId: z.string(),
  events: z.tuple(
    [z.object({ ExercisedEvent: z.object({ exerciseResult: z.custom<DamlValue>() }) })],
    z.unknown(),
  ),
})

/** The result of the first command. */
export const submitted = z
  .object({ transaction })
  .transform(({ transaction }) => transaction.events[0].ExercisedEvent.exerciseResult)

/** `transaction` is undefined for updates of other kinds. */
export const update = z
  .object({ update: z.record(z.string(), z.object({ value: z.looseObject({ offset: offsetOrCount }) })) })
  .transform(({ update }) => {
    const [[variant, { value }] = ['', { value: { offset: 0 } }]] = Object.entries(update)
    return { offset: value.offset, transaction: variant === 'Transaction' ? value : undefined }
  })

const cantonError = z.object({
  code: z.string(),
  cause: z.string(),
  errorCategory: z.number().catch(-1),
})

const longestCause = 512

export function answered(answer: ApiAnswer): unknown {
  if (answer.status !== 200) throw refused(answer)
  const value = tryJsonText(answer.text)
  if (value === undefined) throw new MalformedResponse('The participant sent a text that is no JSON.')
  return value
}

/** Canton's error categories 1 to 3 are temporary. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof TooLarge) return false
  if (!(error instanceof LedgerRefusal)) return error instanceof LedgerUnavailable
  const { code, errorCategory } = error
  if (code === tooManyElements) return false
  return (errorCategory >= 1 && errorCategory <= 3) || error.status === 429
}

export const tooManyElements = 'JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED'

function refused({ status, contentType, text }: ApiAnswer): LedgerRefusal | LedgerUnavailable {
  const body = contentType === 'application/json' ? tryJsonText(text) : undefined
  const error = cantonError.safeParse(body).data
  if (error !== undefined) return new LedgerRefusal(status, error)
  switch (status) {
    case 400:
    case 413:
      return new LedgerRefusal(status, {
        code: 'INVALID_ARGUMENT',
        cause: text.slice(0, longestCause),
        errorCategory: 8,
      })
    case 401:
    case 403:
      return new LedgerRefusal(status, { code: 'NA', cause: redacted, errorCategory: -1 })
    case 404:
    case 405:
      return new LedgerRefusal(501, { code: 'UNSUPPORTED_OPERATION', cause: tooOld, errorCategory: 14 })
    default:
      return new LedgerUnavailable(`The participant answered ${status}.`)
  }
}

/** The message of errors whose details Canton withholds (DecodedCantonError.scala). */
const redacted =
  'A security-sensitive error has been received. Please contact your administrator for further details.'
const tooOld = "The participant's version does not have this operation."
