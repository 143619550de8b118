import { type Json, Refused, type Reply } from './json.ts'

export type Version = '3.4' | '3.5' | '3.6'

/** The category, the gRPC code and the HTTP status of each error code of Canton. */
const codes = {
  INVALID_ARGUMENT: [8, 3, 400],
  MISSING_FIELD: [8, 3, 400],
  INVALID_FIELD: [8, 3, 400],
  NEGATIVE_OFFSET: [8, 3, 400],
  NON_POSITIVE_OFFSET: [8, 3, 400],
  DESCENDING_ORDER_MISSING_END: [8, 3, 400],
  OFFSET_AFTER_LEDGER_END: [12, 11, 400],
  OFFSET_OUT_OF_RANGE: [9, 9, 400],
  PACKAGE_NAMES_NOT_FOUND: [11, 5, 404],
  NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME: [11, 5, 404],
  NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME: [11, 5, 404],
  TEMPLATES_OR_INTERFACES_NOT_FOUND: [11, 5, 404],
  UPDATE_NOT_FOUND: [11, 5, 404],
  CONTRACT_EVENTS_NOT_FOUND: [11, 5, 404],
  CONTRACT_NOT_FOUND: [11, 5, 404],
  USER_NOT_FOUND: [11, 5, 404],
  INVALID_UPDATES_PAGE_TOKEN: [8, 3, 400],
  INVALID_CONTINUATION_TOKEN: [8, 3, 400],
  DEPRECATED_API_DISABLED: [9, 9, 400],
  DUPLICATE_COMMAND: [10, 6, 409],
  JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED: [2, 10, 413],
  LEDGER_API_INTERNAL_ERROR: [4, 13, 500],
} as const

export type Code = keyof typeof codes

export function ledgerError(version: Version, code: Code, more: Json = {}): Reply {
  const { resources = [], context = {} } = more
  const [errorCategory, grpcCodeValue, status] = codes[code]
  const named = (type: string) => (version === '3.6' ? type : `ErrorResource(${type})`)
  const traceId = '99e67812af315256ef9a02a9fdb94646'
  const body = {
    code,
    cause: `the participant says ${code}`,
    correlationId: null,
    traceId,
    context: { category: String(errorCategory), definite_answer: 'false', tid: traceId, ...context },
    resources: resources.map(([type, value]: [string, string]) => [named(type), value]),
    errorCategory,
    grpcCodeValue,
    retryInfo: errorCategory === 12 || errorCategory === 2 ? '1 second' : null,
    definiteAnswer: null,
  }
  return [status, body]
}

export function refused(version: Version, code: Code, more: Json = {}): Refused {
  return new Refused(ledgerError(version, code, more))
}

export function missingField(version: Version, field_name: string): Refused {
  return refused(version, 'MISSING_FIELD', { context: { field_name } })
}

export function redacted(grpcCodeValue: number): Json {
  return {
    code: 'NA',
    cause: 'A security-sensitive error has been received',
    correlationId: null,
    traceId: '5f3b6c0d9a1e4b7c8d2f00112233aabb',
    context: {},
    resources: [],
    errorCategory: -1,
    grpcCodeValue,
    retryInfo: null,
    definiteAnswer: null,
  }
}
