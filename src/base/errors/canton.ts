import { fillTemplate, type TemplateValues } from './fill-template.ts'

/** A category of Canton's errors (ErrorCategory.scala, GrpcHttpErrorCodes.scala). */
interface CategoryRow {
  readonly grpcCode: number
  readonly status: number
  readonly retryInfo: string | undefined
}

const categories = {
  1: { grpcCode: 14, status: 503, retryInfo: '1 second' },
  2: { grpcCode: 10, status: 409, retryInfo: '1 second' },
  3: { grpcCode: 4, status: 504, retryInfo: '1 second' },
  4: { grpcCode: 13, status: 500, retryInfo: undefined },
  6: { grpcCode: 16, status: 401, retryInfo: undefined },
  7: { grpcCode: 7, status: 403, retryInfo: undefined },
  8: { grpcCode: 3, status: 400, retryInfo: undefined },
  9: { grpcCode: 9, status: 400, retryInfo: undefined },
  11: { grpcCode: 5, status: 404, retryInfo: undefined },
  12: { grpcCode: 11, status: 400, retryInfo: '1 second' },
  14: { grpcCode: 12, status: 501, retryInfo: undefined },
} as const satisfies Record<number, CategoryRow>

type Category = keyof typeof categories

export interface CantonErrorRow extends CategoryRow {
  /** Canton's id of the error. `NA` if the error has no id, or must not reveal it. */
  readonly code: string
  readonly category: Category
  /**
   * The layout of the error's body:
   * - `ledger`: `context` has the category, the trace id and `definite_answer`.
   * - `json`: an error of Canton's JSON layer, with `definiteAnswer` instead.
   * - `redacted`: the caller learns neither cause nor category; only the log has the cause.
   */
  readonly bodyLayout: 'ledger' | 'json' | 'redacted'
  readonly text: string
  /** An explanation of the error for `docs/errors.md`. */
  readonly meaning: string
}

export const redactedText =
  'A security-sensitive error has been received. The log of the server has the details under the trace id.'

type WrittenErrorRow = Pick<CantonErrorRow, 'meaning'> &
  (
    | { readonly bodyLayout: 'redacted' }
    | (Pick<CantonErrorRow, 'code' | 'text'> & { readonly bodyLayout?: 'json'; readonly status?: number })
  )

/** The errors by category. */
const table = {
  1: {
    notRunning: {
      code: 'SERVICE_NOT_RUNNING',
      text: '{service} is not running.',
      meaning: 'The ledger, or what tokens are checked with, cannot be used now.',
    },
    participantBroke: {
      code: 'SERVICE_NOT_RUNNING',
      status: 502,
      text: 'The participant cannot be reached, or broke its answer off.',
      meaning:
        'The participant is down, closed the connection, or sent something that is no answer. A submission may have taken effect.',
    },
  },
  2: {
    tooManyElements: {
      code: 'JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED',
      status: 413,
      bodyLayout: 'json',
      text: 'The number of matching elements ({count}) is greater than the node limit ({limit}).',
      meaning:
        'More elements match than `ledger.maxListElements`: ask for fewer by `limit`, for pages, or over a WebSocket.',
    },
    accessTokenExpired: {
      code: 'ACCESS_TOKEN_EXPIRED',
      text: 'The access token of the stream has expired.',
      meaning: 'A stream outlived its token; go on from the last offset with a new one.',
    },
    overloaded: {
      code: 'PARTICIPANT_BACKPRESSURE',
      text: 'The participant is overloaded: as many streams as may run at once are running.',
      meaning:
        'There are as many streams, or requests to the participant, as the daemon keeps at once; try again.',
    },
  },
  3: {
    participantSilent: {
      code: 'REQUEST_TIME_OUT',
      text: 'The participant sent nothing for {seconds} s.',
      meaning: 'The participant gives no answer. A submission may have taken effect.',
    },
  },
  4: {
    undecodableFrame: {
      code: 'LEDGER_API_INTERNAL_ERROR',
      bodyLayout: 'json',
      text: '{why}',
      meaning: 'The first frame on a WebSocket is no request.',
    },
    internal: {
      bodyLayout: 'redacted',
      meaning: 'A fault of this daemon; its log has the details.',
    },
  },
  6: {
    unauthenticated: {
      bodyLayout: 'redacted',
      meaning: 'There is no valid bearer token: it may be expired, or of another issuer, audience or scope.',
    },
  },
  7: {
    unknownUser: {
      bodyLayout: 'redacted',
      meaning: 'The token is of a user that the ledger does not know; `context` says `invalid token`.',
    },
    permissionDenied: {
      bodyLayout: 'redacted',
      meaning:
        'The user may not read as a party that the request names, or the token names another participant.',
    },
  },
  8: {
    bothForms: {
      code: 'INVALID_ARGUMENT',
      bodyLayout: 'json',
      text: 'Both {format} and filter are set: use {format} alone, filter is its older form.',
      meaning: 'A request has the format and the older filter too.',
    },
    verboseBesideFormat: {
      code: 'INVALID_ARGUMENT',
      bodyLayout: 'json',
      text: 'Both {format} and verbose are set: verbose belongs to the older form.',
      meaning: 'A request has the format, and the `verbose` of the older form.',
    },
    noForm: {
      code: 'INVALID_ARGUMENT',
      bodyLayout: 'json',
      text: 'Neither {format} nor filter is set.',
      meaning: 'A request says in no form what it asks for.',
    },
    negativeOffset: {
      code: 'NEGATIVE_OFFSET',
      text: 'Offset {offset} in {field} is a negative integer.',
      meaning: 'A range begins before the ledger does.',
    },
    nonPositiveOffset: {
      code: 'NON_POSITIVE_OFFSET',
      text: 'Offset {offset} in {field} is not a positive integer.',
      meaning: 'A range ends, or an update is looked up, where no update can be.',
    },
    descendingWithoutEnd: {
      code: 'DESCENDING_ORDER_MISSING_END',
      text: 'Descending order needs end_inclusive.',
      meaning: 'A stream without an end is read from its end.',
    },
    noFilters: {
      code: 'INVALID_ARGUMENT',
      text: 'The submitted request has invalid arguments: filtersByParty and filtersForAnyParty cannot be empty simultaneously',
      meaning: 'A format asks for the events of nobody.',
    },
    invalidParty: {
      code: 'INVALID_ARGUMENT',
      text: 'The submitted request has invalid arguments: `{party}` is no party id',
      meaning: 'A party that no ledger can have.',
    },
    invalidTopologyParty: {
      code: 'INVALID_FIELD',
      text: 'The submitted command has a field with invalid value: Invalid field parties: `{party}` is no party id',
      meaning: 'A topology format names a party that no ledger can have.',
    },
    missingField: {
      code: 'MISSING_FIELD',
      text: 'The submitted command is missing a mandatory field: {field_name}',
      meaning: '`context.field_name` is the field that has to be set.',
    },
    packageIdInFilter: {
      code: 'INVALID_FIELD',
      text: 'The submitted command has a field with invalid value: Invalid field packageId: a filter names a package by `#` and its name, not by id as {reference} does',
      meaning: 'A template or an interface is named by package id (refused since Canton 3.5).',
    },
    invalidUpdateId: {
      code: 'INVALID_ARGUMENT',
      text: 'The submitted request has invalid arguments: `{id}` is no update id',
      meaning: 'An update id that is no hash in hex.',
    },
    invalidPageSize: {
      code: 'INVALID_ARGUMENT',
      text: 'The submitted request has invalid arguments: max_page_size {size} is not within 1 and {most}',
      meaning: 'A page larger than any, or with nothing on it.',
    },
    pageEndsBeforeBegin: {
      code: 'INVALID_ARGUMENT',
      text: 'The submitted request has invalid arguments: begin_offset_exclusive {begin} is after end_offset_inclusive {end}',
      meaning: 'A range in pages ends before it begins.',
    },
    undecodablePageToken: {
      code: 'INVALID_FIELD',
      text: 'The submitted command has a field with invalid value: Invalid field page_token: it cannot be decoded',
      meaning: 'A page token that nobody gave.',
    },
    invalidPageToken: {
      code: 'INVALID_UPDATES_PAGE_TOKEN',
      text: 'The page token does not belong to this request on this ledger.',
      meaning: 'A page token of another request or ledger.',
    },
    invalidContractsPageToken: {
      code: 'INVALID_ACS_PAGE_TOKEN',
      text: 'The page token does not belong to this request for active contracts on this ledger.',
      meaning: 'A page token of another request or ledger, or that nobody gave.',
    },
    invalidField: {
      code: 'INVALID_FIELD',
      text: 'The submitted command has a field with invalid value: Invalid field {field_name}: `{value}` is no {what}',
      meaning: 'A query names a party or a participant that no ledger can have.',
    },
    invalidContinuationToken: {
      code: 'INVALID_CONTINUATION_TOKEN',
      text: 'The stream continuation token does not belong to this request on this ledger.',
      meaning: 'A continuation token of another request or ledger.',
    },
  },
  9: {
    offsetOutOfRange: {
      code: 'OFFSET_OUT_OF_RANGE',
      text: 'End offset {end} is before begin offset {begin}.',
      meaning: 'A range ends before it begins.',
    },
    deprecated: {
      code: 'DEPRECATED_API_DISABLED',
      bodyLayout: 'json',
      text: '{api} was deprecated in Canton {since}, is disabled by default since Canton 3.6 and will be removed in Canton 3.7. Use {instead} instead.',
      meaning:
        'A path, or the fields `filter` and `verbose`, that Canton 3.6 refuses as well (`ledger.deprecatedFields`).',
    },
  },
  11: {
    unknownPackageNames: {
      code: 'PACKAGE_NAMES_NOT_FOUND',
      text: 'The following package names do not match upgradable packages uploaded on this participant: [{names}].',
      meaning: 'A filter names a package that the ledger does not have.',
    },
    unknownTemplates: {
      code: 'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
      text: 'The following package-name/template qualified-name pairs do not reference any template-id uploaded on this participant: [{references}].',
      meaning: 'The package is there, the template is not.',
    },
    unknownInterfaces: {
      code: 'NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
      text: 'The following package-name/interface qualified-name pairs do not reference any interface-id uploaded on this participant: [{references}].',
      meaning: 'The package is there, the interface is not.',
    },
    updateNotFound: {
      code: 'UPDATE_NOT_FOUND',
      text: 'Update not found, or not visible.',
      meaning: 'There is no such update, or nothing of it is for the reader.',
    },
    userNotFound: {
      code: 'USER_NOT_FOUND',
      text: 'getting user failed for unknown user "{user}"',
      meaning: 'An administrator asks for a user that the ledger does not have.',
    },
  },
  12: {
    offsetAfterLedgerEnd: {
      code: 'OFFSET_AFTER_LEDGER_END',
      text: '{field} offset ({offset}) is after ledger end ({end}).',
      meaning: 'An offset that the ledger has not come to; it may later.',
    },
  },
  14: {
    notRelayed: {
      code: 'UNSUPPORTED_OPERATION',
      bodyLayout: 'json',
      text: '{api} is not relayed, because it may change the ledger. Ask your participant.',
      meaning: 'The request may change something at the participant, and `ledger.relay` is `reads`.',
    },
    noLedger: {
      code: 'NA',
      bodyLayout: 'json',
      text: 'This daemon has no ledger.',
      meaning: '`ledger.driver` is `none`.',
    },
  },
} as const satisfies Partial<Record<Category, Readonly<Record<string, WrittenErrorRow>>>>

type ErrorTable = typeof table

export type CantonErrorKind = { [C in keyof ErrorTable]: keyof ErrorTable[C] }[keyof ErrorTable]

export const cantonErrors = Object.fromEntries(
  Object.entries<Readonly<Record<string, WrittenErrorRow>>>(table).flatMap(([given, ofCategory]) => {
    const category = Number(given) as Category
    const usual = { code: 'NA', text: redactedText, bodyLayout: 'ledger', category, ...categories[category] }
    return Object.entries(ofCategory).map(([kind, row]) => [kind, { ...usual, ...row }])
  }),
) as Readonly<Record<CantonErrorKind, CantonErrorRow>>

export interface CantonErrorOptions {
  readonly context?: Readonly<Record<string, string>>
  readonly resources?: readonly (readonly [type: string, name: string])[]
  readonly cause?: unknown
}

export class CantonError extends Error {
  override readonly name = 'CantonError'
  readonly kind: CantonErrorKind
  readonly status: number
  readonly #options: CantonErrorOptions

  constructor(kind: CantonErrorKind, values: TemplateValues = {}, options: CantonErrorOptions = {}) {
    const { text, status } = cantonErrors[kind]
    super(fillTemplate(text, values).slice(0, longestCause), { cause: options.cause })
    this.kind = kind
    this.status = status
    this.#options = options
  }

  /** @param traceId 32 hex digits that identify the error in the log. */
  body(traceId: string) {
    const { code, category, grpcCode, bodyLayout, retryInfo = null } = cantonErrors[this.kind]
    const { context = {}, resources = [] } = this.#options
    const told = { category: String(category), definite_answer: 'false', tid: traceId }
    return {
      code,
      cause: this.message,
      correlationId: null,
      traceId,
      context: bodyLayout === 'ledger' ? { ...told, ...context } : context,
      resources,
      errorCategory: bodyLayout === 'redacted' ? -1 : category,
      grpcCodeValue: grpcCode,
      retryInfo: bodyLayout === 'redacted' ? null : retryInfo,
      // Whether the request certainly had no effect. The other layouts have it in `context`, or nowhere.
      definiteAnswer: bodyLayout === 'json' ? false : null,
    }
  }
}

const longestCause = 512

/**
 * Errors with a plain text as body. In Canton, the HTTP server below the JSON Ledger API makes
 * them.
 */
export const plainErrors = {
  invalidBody: {
    status: 400,
    text: 'Invalid value for: body ({why})',
    meaning: 'The body is no JSON, lacks a member, or has one of a wrong type; `why` ends with where.',
  },
  invalidQuery: {
    status: 400,
    text: 'Invalid value for: query parameter {name}',
    meaning: 'A query parameter is no integer.',
  },
  emptyToken: {
    status: 400,
    text: 'Invalid value for: header Authorization',
    meaning: 'The bearer token is empty.',
  },
  badHandshake: {
    status: 400,
    text: '{why}',
    meaning: 'The handshake of a WebSocket is malformed.',
  },
  methodNotAllowed: {
    status: 405,
    text: 'Method Not Allowed',
    meaning: 'The path exists, but not with this method.',
  },
  notAcceptable: {
    status: 406,
    text: 'The resource representation is only available with these types:\napplication/json',
    meaning: '`accept` leaves no room for JSON.',
  },
  bodyTooLarge: {
    status: 413,
    text: 'The request content exceeds the limit of {limit} bytes',
    meaning: 'The body is larger than any request.',
  },
  timedOut: {
    status: 503,
    text: 'The server was not able to produce a timely response to your request.\r\nPlease try again in a short while!',
    meaning: 'A read without an end went on for 20 s.',
  },
} satisfies Record<string, { status: number; text: string; meaning: string }>

export type PlainErrorKind = keyof typeof plainErrors

export class PlainError extends Error {
  override readonly name = 'PlainError'
  readonly kind: PlainErrorKind
  readonly status: number

  constructor(kind: PlainErrorKind, values: TemplateValues = {}, options: { readonly cause?: unknown } = {}) {
    super(fillTemplate(plainErrors[kind].text, values), options)
    this.kind = kind
    this.status = plainErrors[kind].status
  }
}

/** The error for a path that the JSON Ledger API does not have, or has only for WebSockets. */
export class UnknownLedgerPath extends Error {
  override readonly name = 'UnknownLedgerPath'
  readonly status = 404
  readonly body: unknown

  constructor(method: string, target: string) {
    super('unknown path')
    this.body = { errors: [`[${method} ${target}]`], status: 404, ledgerApiError: null }
  }
}
