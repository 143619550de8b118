import type { CantonErrorBody } from '../../errors/canton.ts'
import { parseJsonText } from '../../lib/parse-json-text.ts'
import { LedgerRefusal, LedgerUnavailable } from '../ledger.ts'
import { cantonError, parsed } from './answers.ts'
import { type ApiAnswer, TooLarge } from './json-api.ts'

const longestCause = 512

export function answered(answer: ApiAnswer): unknown {
  if (answer.status === 200) return parsed(answer.text)
  throw refused(answer)
}

/** Canton's error categories 1 to 3 are temporary. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof TooLarge) return false
  if (!(error instanceof LedgerRefusal)) return error instanceof LedgerUnavailable
  const { code, errorCategory } = error.error
  if (code === tooManyElements) return false
  return (errorCategory >= 1 && errorCategory <= 3) || error.status === 429
}

export const tooManyElements = 'JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED'

function refused({ status, contentType, text }: ApiAnswer): LedgerRefusal | LedgerUnavailable {
  const body = contentType === 'application/json' ? tryJson(text) : undefined
  const error = body === undefined ? undefined : tryCantonError(body)
  if (error !== undefined) return new LedgerRefusal(status, error)
  const cause = text.slice(0, longestCause)
  switch (status) {
    case 400:
    case 413:
      return new LedgerRefusal(status, plain('INVALID_ARGUMENT', 8, 3, cause))
    case 401:
      return new LedgerRefusal(status, plain('NA', -1, 16, redacted))
    case 403:
      return new LedgerRefusal(status, plain('NA', -1, 7, redacted))
    case 404:
    case 405:
      return new LedgerRefusal(501, plain('UNSUPPORTED_OPERATION', 14, 12, tooOld))
    default:
      return new LedgerUnavailable(`The participant answered ${status}.`)
  }
}

/** The message of errors whose details Canton withholds (DecodedCantonError.scala). */
const redacted =
  'A security-sensitive error has been received. Please contact your administrator for further details.'
const tooOld = "The participant's version does not have this operation."

function plain(code: string, errorCategory: number, grpcCodeValue: number, cause: string): CantonErrorBody {
  return {
    code,
    cause,
    correlationId: null,
    traceId: null,
    context: {},
    resources: [],
    errorCategory,
    grpcCodeValue,
    retryInfo: null,
    definiteAnswer: null,
  }
}

function tryCantonError(body: unknown): CantonErrorBody | undefined {
  return cantonError.safeParse(body).data
}

function tryJson(text: string): unknown {
  try {
    return parseJsonText(text)
  } catch {
    return undefined
  }
}
