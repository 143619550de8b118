import { type SpliceErrorCode, spliceErrors } from '../errors/splice.ts'

/**
 * A row of `docs/errors.md`, or one of two further codes. `unreachable`: no server answered at the daemon's address.
 * `misunderstood`: the server there is no daemon that this client knows.
 */
export type ClientErrorCode = SpliceErrorCode | 'unreachable' | 'misunderstood'

/** A failure between a client and its daemon, or an error that the daemon reports. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly code: ClientErrorCode
  /** The HTTP status. Undefined if there was no answer. */
  readonly status: number | undefined
  /** True if the same request may succeed later without any change. */
  readonly retryable: boolean
  /** Seconds after which the daemon wants to be asked again. */
  readonly retryAfter: number | undefined

  constructor(
    code: ClientErrorCode,
    message: string,
    details: { status?: number; retryAfter?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.status = details.status
    this.retryAfter = details.retryAfter
    this.retryable = isRetryable(code, details.status)
  }
}

function isRetryable(code: ClientErrorCode, status: number | undefined): boolean {
  if (code !== 'unreachable' && code !== 'misunderstood') return spliceErrors[code].retryable
  return status === undefined || status === 429 || status >= 500
}

/** Converts a daemon's error response. */
export function errorOf({ status, headers }: Response, text: string | undefined): ClientError {
  const code = text === undefined ? 'misunderstood' : codeOf(status, text)
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const message = text ?? `the answer, with status ${status}, is not that of a daemon`
  return new ClientError(code, message, {
    status,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  })
}

/** Rows whose whole text depends on the case, by status. */
const ofAnyText: Readonly<Record<number, SpliceErrorCode>> = { 401: 'unauthorized', 501: 'notAgreeable' }

function codeOf(status: number, text: string): ClientErrorCode {
  const known = patterns.find((row) => row.status === status && row.pattern.test(text))
  return known?.code ?? ofAnyText[status] ?? 'misunderstood'
}

/** The most specific texts come first. */
const patterns = Object.entries(spliceErrors)
  .map(([code, { status, text }]) => {
    const literals = text.split(/\{\w+\}/)
    const pattern = new RegExp(`^${literals.map(escaped).join('.*')}$`, 's')
    return { code: code as SpliceErrorCode, status, pattern, length: literals.join('').trim().length }
  })
  .filter(({ length }) => length > 0)
  .sort((a, b) => b.length - a.length)

/** Replaces `RegExp.escape`, which browsers and Node have only since 2025. */
function escaped(literal: string): string {
  return literal.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
