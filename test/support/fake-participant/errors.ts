// biome-ignore lint/suspicious/noExplicitAny: bodies are JSON of any shape
export type Json = any

/** A status and a body. A body that is a string is sent as plain text, and any other body as JSON. */
export type Reply = readonly [status: number, body: Json]

export class Refused extends Error {
  readonly reply: Reply

  constructor(reply: Reply) {
    super(JSON.stringify(reply))
    this.reply = reply
  }
}

/** The category, the gRPC code and the HTTP status of each error code of Canton. */
const codes = {
  OFFSET_AFTER_LEDGER_END: [12, 11, 400],
  OFFSET_OUT_OF_RANGE: [9, 9, 400],
  NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME: [11, 5, 404],
  CONTRACT_EVENTS_NOT_FOUND: [11, 5, 404],
  CONTRACT_NOT_FOUND: [11, 5, 404],
  USER_NOT_FOUND: [11, 5, 404],
  INVALID_CONTINUATION_TOKEN: [8, 3, 400],
  DUPLICATE_COMMAND: [10, 6, 409],
  JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED: [2, 10, 413],
} as const

export function refused(code: keyof typeof codes): Refused {
  const [errorCategory, grpcCodeValue, status] = codes[code]
  return new Refused([
    status,
    errorOf({ code, cause: `the participant says ${code}`, errorCategory, grpcCodeValue }),
  ])
}

/** Refuses without a reason, as Canton refuses what concerns a token or rights. */
export function redacted(status: 401 | 403): Refused {
  const cause = 'A security-sensitive error has been received'
  return new Refused([
    status,
    errorOf({ code: 'NA', cause, errorCategory: -1, grpcCodeValue: status === 401 ? 16 : 7 }),
  ])
}

function errorOf(said: Json): Json {
  const unsaid = { correlationId: null, traceId: '5f3b6c0d9a1e4b7c8d2f00112233aabb', retryInfo: null }
  return { ...said, ...unsaid, context: {}, resources: [], definiteAnswer: null }
}
