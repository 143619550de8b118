import { type SpliceErrorCode, spliceErrors } from '../errors/splice.ts'

/**
 * A row of `docs/errors.md`, or one of three further codes. `badUrl`: the client was given no http or https URL. `unreachable`: no server
 * answered at the daemon's address. `misunderstood`: the server there is no daemon that this client knows.
 */
export type ClientErrorCode = SpliceErrorCode | OwnCode

type OwnCode = 'badUrl' | 'unreachable' | 'misunderstood'

/**
 * A bad question, a failure between a client and its daemon, or an error that the daemon reports. The client sends no
 * request for a bad question.
 */
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
  if (code === 'badUrl') return false
  if (code !== 'unreachable' && code !== 'misunderstood') return spliceErrors[code].retryable
  return status === undefined || status === 429 || status >= 500
}

/** Converts the error response of the daemon at `base`. The daemon names the row of the error in `x-bft-error`. */
export function errorOf({ status, headers }: Response, base: string, text: string | undefined): ClientError {
  const named = headers.get('x-bft-error')
  const code = text !== undefined && isCode(named) ? named : 'misunderstood'
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const isElsewhere = named === null && (status === 404 || status === 405)
  const unusual = `the answer, with status ${status}, is not that of a daemon`
  const message = isElsewhere ? `no read API at ${base}: ${text ?? unusual}` : (text ?? unusual)
  return new ClientError(code, message, {
    status,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  })
}

function isCode(named: string | null): named is SpliceErrorCode {
  return named !== null && Object.hasOwn(spliceErrors, named)
}
